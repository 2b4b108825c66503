/** A write with an idempotency key, in each way the three protocols can bring one, with the whole answer. */
import type { Operation } from '../../bridge/operations.ts';
import { createSendMessage, toolCall } from './mcp.ts';
import { restRequestOf } from './samples.ts';
import type { Answer, TestService } from './service.ts';

interface KeyedRequest {
  row: Operation;
  input: Record<string, unknown>;
  key: string;
  idempotencyKey: string;
}

export type AskKeyed = (service: TestService, request: KeyedRequest) => Promise<Answer>;

const headersOf = (idempotencyKey: string) => ({ 'Idempotency-Key': idempotencyKey });

const rest: AskKeyed = ({ call }, { row, input, key, idempotencyKey }) => {
  const { method, path, body } = restRequestOf(row, input);
  return call(method, path, { key, body, headers: headersOf(idempotencyKey) });
};

const trpc: AskKeyed = ({ callAt }, { row, input, key, idempotencyKey }) =>
  callAt('POST', `/trpc/${row.name}`, { key, body: input, headers: headersOf(idempotencyKey) });

const mcpByArgument: AskKeyed = ({ url }, { row, input, key, idempotencyKey }) =>
  createSendMessage(url)(toolCall(row.tool?.name ?? '', { ...input, idempotency_key: idempotencyKey }), {
    key,
  });

const mcpByHeader: AskKeyed = ({ url }, { row, input, key, idempotencyKey }) =>
  createSendMessage(url)(toolCall(row.tool?.name ?? '', input), { key, headers: headersOf(idempotencyKey) });

/** The ways for a row; a row without a tool is not spoken in MCP. */
export const keyedCallsOf = ({ tool }: Operation): Record<string, AskKeyed> => ({
  'over REST': rest,
  'over tRPC': trpc,
  ...(tool && { 'over MCP by argument': mcpByArgument, 'over MCP by header': mcpByHeader }),
});

export const isReplay = ({ headers }: Answer) => headers.get('Idempotency-Replayed') === 'true';
