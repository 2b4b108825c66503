/** What a tool call came to: the API's answer, once for programs and once as text for models, or its refusal. */
import { keepFrozen } from '../../routers/keep-frozen.ts';
import { envelope } from '../envelope.ts';
import type { JsonPiece, JsonPieces } from '../json-pieces.ts';
import type { ToolCall } from './heard.ts';
import { resultReply } from './json-rpc.ts';

/** Written around the JSON of the output, which is long; what is made of a frozen output is kept with it, as bytes. */
export function createToolResult() {
  const membersOf = keepFrozen((output: object): JsonPiece => {
    const json = JSON.stringify(output);
    const members = `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
    return Object.isFrozen(output) ? Buffer.from(members) : members;
  });
  return function toolResult({ id, era }: ToolCall, output: object): JsonPieces {
    const more = JSON.stringify(era.resultMembers).slice(1); // with the closing brace
    return resultReply(id, '{', membersOf(output), more === '}' ? '' : ',', more);
  };
}

/** The REST error body as text: an agent reads it and mends its call, which it could not with a protocol error. */
export function toolRefusal({ id, era }: ToolCall, failure: unknown) {
  const content = [{ type: 'text', text: JSON.stringify(envelope(failure).body) }];
  return { jsonrpc: '2.0', id, result: { content, isError: true, ...era.resultMembers } };
}
