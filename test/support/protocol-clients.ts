/** Every client to every procedure: each row in each of its protocols, the account page's own among them, with the whole answer. */
import { type Operation, readSessionOperations, type SessionOperation } from '../../bridge/operations.ts';
import type { UserRecord } from '../../models/user.ts';
import { accountPageRouter } from '../../routers/account/index.ts';
import { createSendMessage, toolCall } from './mcp.ts';
import { restRequestOf, rows } from './samples.ts';
import type { Answer, TestService } from './service.ts';

/** Caller with a key, who can also sign in. */
export interface Caller {
  user: UserRecord;
  key: string;
  /** The token of a session at the account page; where there is none, each call opens one. */
  session?: string;
}

interface Question {
  input: Record<string, unknown>;
  headers?: Record<string, string>;
}

type Ask = (service: TestService, caller: Caller, question: Question) => Promise<Answer>;

export interface ProtocolClient {
  /** Such as "tickets.reply over MCP". */
  title: string;
  row: Operation | SessionOperation;
  ask: Ask;
}

const overRest =
  (row: Operation): Ask =>
  ({ call }, { key }, { input, headers = {} }) => {
    const { method, path, body } = restRequestOf(row, input);
    return call(method, path, { key, body, headers });
  };

const overRpc =
  ({ name, type }: Operation): Ask =>
  ({ callAt }, { key }, { input, headers = {} }) =>
    callAt(...rpcRequestOf(`/trpc/${name}`, type, input), { key, headers, ...rpcBodyOf(type, input) });

const overMcp =
  ({ tool }: Operation): Ask =>
  ({ url }, { key }, { input, headers = {} }) =>
    createSendMessage(url)(toolCall(tool?.name ?? '', input), { key, headers });

/** In the caller's session, or in one of its own, where an earlier call may have ended the session. */
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

export const publicClients: ProtocolClient[] = rows.flatMap(clientsOf);

const accountClients: ProtocolClient[] = readSessionOperations(accountPageRouter).map((row) => ({
  title: `${row.name} at the account page`,
  row,
  ask: overAccount(row),
}));

export const clients = [...publicClients, ...accountClients];
