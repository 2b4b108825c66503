/** What a tool call came to: the API's answer, once for programs and once as text for models, or its refusal. */
import { envelope } from '../envelope.ts';
import type { ToolCall } from './heard.ts';
import { resultReply } from './json-rpc.ts';

/** Written around the JSON of the output, which is long, so that it is made only once. */
export function toolResult({ id, era }: ToolCall, output: unknown): string {
  const json = JSON.stringify(output);
  const content = `[{"type":"text","text":${JSON.stringify(json)}}]`;
  const members = JSON.stringify(era.resultMembers).slice(1);
  return resultReply(
    id,
    `{"content":${content},"structuredContent":${json}${members === '}' ? '' : ','}${members}`,
  );
}

/** The REST error body as text: an agent reads it and mends its call, which it could not with a protocol error. */
export function toolRefusal({ id, era }: ToolCall, failure: unknown) {
  const content = [{ type: 'text', text: JSON.stringify(envelope(failure).body) }];
  return { jsonrpc: '2.0', id, result: { content, isError: true, ...era.resultMembers } };
}
