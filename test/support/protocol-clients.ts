/**
 * Calls every procedure in each of its protocols, including the account page's own, and returns the full answer
 * or comparable outcomes.
 */
import { createTRPCUntypedClient, httpBatchLink, httpLink, TRPCClientError } from '@trpc/client';
import { type Operation, readSessionOperations, type SessionOperation } from '../../bridge/operations.ts';
import type { UserRecord } from '../../models/user.ts';
import { accountPageRouter } from '../../routers/account/index.ts';
import type { AppRouter } from '../../routers/index.ts';
import { createSendMessage, toolCall, toolErrorOf } from './mcp.ts';
import { apiOperations, restRequestOf } from './samples.ts';
import type { Answer, TestService } from './service.ts';

/** Caller with a key, who can also sign in. */
export interface Caller {
  user: UserRecord;
  key: string;
  /** The token of a session at the account page; without one, each call opens a session. */
  session?: string;
}

interface CallInput {
  input: Record<string, unknown>;
  headers?: Record<string, string>;
}

type Ask<Who = Caller> = (service: TestService, caller: Who, question: CallInput) => Promise<Answer>;
type AskWithKey = Ask<Pick<Caller, 'key'>>;

export interface ProtocolClient {
  /** Such as "tickets.reply over MCP". */
  title: string;
  row: Operation | SessionOperation;
  ask: Ask;
}

const overRest =
  (row: Operation): AskWithKey =>
  ({ call }, { key }, { input, headers = {} }) => {
    const { method, path, body } = restRequestOf(row, input);
    return call(method, path, { key, body, headers });
  };

const overRpc =
  ({ name, type }: Operation): AskWithKey =>
  ({ callAt }, { key }, { input, headers = {} }) =>
    callAt(...rpcRequestOf(`/trpc/${name}`, type, input), { key, headers, ...rpcBodyOf(type, input) });

const overMcp =
  ({ tool }: Operation): AskWithKey =>
  ({ url }, { key }, { input, headers = {} }) =>
    createSendMessage(url)(toolCall(tool?.name ?? '', input), { key, headers });

/** Calls in the caller's session, or in a new one when an earlier call may have ended it. */
const overAccount =
  ({ name, type }: SessionOperation): Ask =>
  async ({ callAt, models, clock }, { user, session }, { input, headers = {} }) => {
    const token = session || (await models.sessions.open({ user }, new Date(clock.now()))).token;
    const page = { Cookie: `gamehost_session=${token}`, 'Sec-Fetch-Site': 'same-origin' };
    const request = rpcRequestOf(`/account/trpc/${name}`, type, input);
    return callAt(...request, { headers: { ...page, ...headers }, ...rpcBodyOf(type, input) });
  };

type Kind = Operation['type'];

const rpcRequestOf = (path: string, type: Kind, input: object): [method: string, path: string] =>
  type === 'mutation'
    ? ['POST', path]
    : ['GET', `${path}?input=${encodeURIComponent(JSON.stringify(input))}`];

const rpcBodyOf = (type: Kind, body: object) => type === 'mutation' && { body };

const clientsOf = (row: Operation): ProtocolClient[] => [
  { title: `${row.name} over REST`, row, ask: overRest(row) },
  { title: `${row.name} over tRPC`, row, ask: overRpc(row) },
  ...(row.tool ? [{ title: `${row.name} over MCP`, row, ask: overMcp(row) }] : []),
];

export const publicClients: ProtocolClient[] = apiOperations.flatMap(clientsOf);

const accountClients: ProtocolClient[] = readSessionOperations(accountPageRouter).map((row) => ({
  title: `${row.name} at the account page`,
  row,
  ask: overAccount(row),
}));

export const clients = [...publicClients, ...accountClients];

interface KeyedRequest {
  row: Operation;
  input: Record<string, unknown>;
  key: string;
  idempotencyKey: string;
}

export type AskKeyed = (service: TestService, request: KeyedRequest) => Promise<Answer>;

const keyedByHeader =
  (askOf: (row: Operation) => AskWithKey): AskKeyed =>
  (service, { row, input, key, idempotencyKey }) =>
    askOf(row)(service, { key }, { input, headers: { 'Idempotency-Key': idempotencyKey } });

const keyedByArgument: AskKeyed = (service, { row, input, key, idempotencyKey }) =>
  overMcp(row)(service, { key }, { input: { ...input, idempotency_key: idempotencyKey } });

/** A write with an idempotency key, in each way that its protocols can send one. */
export const keyedCallsOf = ({ tool }: Operation): Record<string, AskKeyed> => ({
  'over REST': keyedByHeader(overRest),
  'over tRPC': keyedByHeader(overRpc),
  ...(tool && { 'over MCP by argument': keyedByArgument, 'over MCP by header': keyedByHeader(overMcp) }),
});

export const isReplay = ({ headers }: Answer) => headers.get('Idempotency-Replayed') === 'true';

/** The outcome: data, or the code and message of a refusal. */
export type Outcome = { data: unknown } | { code: string; message: string };

type ProtocolCall = (row: Operation, input: Record<string, unknown>, key?: string) => Promise<Outcome>;

/** One call in each protocol of an operation; tRPC through its own client. */
export const protocolsOf = (service: TestService, { tool }: Operation) => ({
  rest: createRestCall(service),
  trpc: createTrpcCall(service, httpLink),
  ...(tool && { mcp: createMcpCall(service) }),
});

const createRestCall =
  (service: TestService): ProtocolCall =>
  async (row, input, key = '') => {
    const { body } = await overRest(row)(service, { key }, { input });
    return body.error ?? { data: body };
  };

export const createBatchCall = (service: TestService): ProtocolCall => createTrpcCall(service, httpBatchLink);

const createTrpcCall =
  ({ url }: TestService, link: typeof httpLink | typeof httpBatchLink): ProtocolCall =>
  async ({ name, type }, input, key) => {
    const headers = key ? { Authorization: `Bearer ${key}` } : {};
    const client = createTRPCUntypedClient<AppRouter>({ links: [link({ url: `${url}/trpc`, headers })] });
    return client[type === 'query' ? 'query' : 'mutation'](name, input).then(
      (data) => ({ data }),
      (failure) => {
        if (!(failure instanceof TRPCClientError)) throw failure;
        return { code: failure.data.code, message: failure.message };
      },
    );
  };

const createMcpCall =
  (service: TestService): ProtocolCall =>
  async (row, input, key = '') => {
    const answer = await overMcp(row)(service, { key }, { input });
    const { error, result } = answer.body;
    if (answer.status !== 200) return { code: error.data.code, message: error.message };
    return result.isError ? toolErrorOf(answer).error : { data: result.structuredContent };
  };
