/** One call in each of the three protocols, by one description, with outcomes that can be compared. */
import { createTRPCUntypedClient, httpBatchLink, httpLink, TRPCClientError } from '@trpc/client';
import type { Operation } from '../../bridge/operations.ts';
import type { AppRouter } from '../../routers/index.ts';
import { createSendMessage, refusalOf, toolCall } from './mcp.ts';
import { restRequestOf } from './samples.ts';
import type { TestService } from './service.ts';

/** What came back: data, or the code and message of a refusal. */
export type Outcome = { data: unknown } | { code: string; message: string };

type ProtocolCall = (row: Operation, input: Record<string, unknown>, key?: string) => Promise<Outcome>;

/** The protocols that a row is spoken in; a row without a tool is not spoken in MCP. */
export const protocolsOf = (service: TestService, { tool }: Operation) => ({
  rest: createRestCall(service),
  trpc: createTrpcCall(service),
  ...(tool && { mcp: createMcpCall(service) }),
});

const createRestCall =
  ({ call }: TestService): ProtocolCall =>
  async (row, input, key) => {
    const { method, path, body } = restRequestOf(row, input);
    const answer = await call(method, path, { body, ...(key && { key }) });
    return answer.body.error ?? { data: answer.body };
  };

/** One call in a batch of tRPC. */
export const createBatchCall = (service: TestService): ProtocolCall => createTrpcCall(service, httpBatchLink);

const createTrpcCall =
  ({ url }: TestService, link: typeof httpLink | typeof httpBatchLink = httpLink): ProtocolCall =>
  async ({ name, type }, input, key) => {
    const headers = key ? { Authorization: `Bearer ${key}` } : {};
    const client = createTRPCUntypedClient<AppRouter>({ links: [link({ url: `${url}/trpc`, headers })] });
    try {
      return {
        data: type === 'query' ? await client.query(name, input) : await client.mutation(name, input),
      };
    } catch (failure) {
      if (!(failure instanceof TRPCClientError)) throw failure;
      return { code: failure.data.code, message: failure.message };
    }
  };

const createMcpCall =
  ({ url }: TestService): ProtocolCall =>
  async ({ tool }, input, key) => {
    const answer = await createSendMessage(url)(toolCall(tool?.name ?? '', input), { key });
    if (answer.status !== 200)
      return { code: answer.body.error.data.code, message: answer.body.error.message };
    return answer.body.result.isError
      ? refusalOf(answer).error
      : { data: answer.body.result.structuredContent };
  };
