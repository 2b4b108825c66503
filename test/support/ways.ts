/** Every way to every procedure: each row in each of its tongues, the account page's own among them, with the whole answer. */
import { type Row, readSessionCatalogue, type SessionRow } from '../../bridge/catalogue.ts';
import type { UserRecord } from '../../models/user.ts';
import { accountPageRouter } from '../../routers/account-page.ts';
import { createSendMessage, toolCall } from './mcp.ts';
import { restRequestOf, rows } from './samples.ts';
import type { Answer, TestService } from './service.ts';

/** Somebody with a key, who can also sign in. */
export interface Somebody {
  user: UserRecord;
  key: string;
}

export interface Question {
  input: Record<string, unknown>;
  headers?: Record<string, string>;
}

type Ask = (service: TestService, somebody: Somebody, question: Question) => Promise<Answer>;

export interface Way {
  /** Such as "tickets.reply over MCP". */
  title: string;
  row: Row | SessionRow;
  ask: Ask;
}

const overRest =
  (row: Row): Ask =>
  ({ call }, { key }, { input, headers = {} }) => {
    const { method, path, body } = restRequestOf(row, input);
    return call(method, path, { key, body, headers });
  };

const overRpc =
  ({ name, type }: Row): Ask =>
  ({ callAt }, { key }, { input, headers = {} }) =>
    callAt(...rpcRequestOf(`/trpc/${name}`, type, input), { key, headers, ...rpcBodyOf(type, input) });

const overMcp =
  ({ tool }: Row): Ask =>
  ({ url }, { key }, { input, headers = {} }) =>
    createSendMessage(url)(toolCall(tool?.name ?? '', input), { key, headers });

/** In a session of its own, so that no call suffers from one before it that ended the session. */
const overAccount =
  ({ name, type }: SessionRow): Ask =>
  async ({ callAt, models, clock }, { user }, { input, headers = {} }) => {
    const { token } = await models.sessions.open(user, new Date(clock.now()));
    const page = { Cookie: `gamehost_session=${token}`, 'Sec-Fetch-Site': 'same-origin' };
    const request = rpcRequestOf(`/account/trpc/${name}`, type, input);
    return callAt(...request, { headers: { ...page, ...headers }, ...rpcBodyOf(type, input) });
  };

type Kind = Row['type'];

const rpcRequestOf = (path: string, type: Kind, input: object): [method: string, path: string] =>
  type === 'mutation'
    ? ['POST', path]
    : ['GET', `${path}?input=${encodeURIComponent(JSON.stringify(input))}`];

const rpcBodyOf = (type: Kind, body: object) => type === 'mutation' && { body };

const waysTo = (row: Row): Way[] => [
  { title: `${row.name} over REST`, row, ask: overRest(row) },
  { title: `${row.name} over tRPC`, row, ask: overRpc(row) },
  ...(row.tool ? [{ title: `${row.name} over MCP`, row, ask: overMcp(row) }] : []),
];

export const publicWays: Way[] = rows.flatMap(waysTo);

export const accountWays: Way[] = readSessionCatalogue(accountPageRouter).map((row) => ({
  title: `${row.name} at the account page`,
  row,
  ask: overAccount(row),
}));

export const ways = [...publicWays, ...accountWays];
