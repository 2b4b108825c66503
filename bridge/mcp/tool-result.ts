/** The result of a tool call: the output as structured content and as text, or the REST error body as text. */
import { memoizeByIdentity } from '../../routers/memoize-by-identity.ts';
import { toErrorResponse } from '../http/error-response.ts';
import type { JsonChunk, JsonChunks } from '../http/json-chunks.ts';
import { resultReply, type ToolCall } from './json-rpc.ts';

/** Wraps the JSON of an output, which can be long; for a frozen output it is kept, as bytes. */
export function createToolResult() {
  const membersOf = memoizeByIdentity((output: object): JsonChunk => {
    const json = JSON.stringify(output);
    const members = `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
    return Object.isFrozen(output) ? Buffer.from(members) : members;
  });
  return function toolResult({ id, version }: ToolCall, output: object): JsonChunks {
    const more = JSON.stringify(version.resultMembers).slice(1); // with the closing brace
    return resultReply(id, '{', membersOf(output), more === '}' ? '' : ',', more);
  };
}

/** An error result, which an agent reads and acts on; it could not with a protocol error. */
export function toolError({ id, version }: ToolCall, failure: unknown) {
  const content = [{ type: 'text', text: JSON.stringify(toErrorResponse(failure).body) }];
  return { jsonrpc: '2.0', id, result: { content, isError: true, ...version.resultMembers } };
}
