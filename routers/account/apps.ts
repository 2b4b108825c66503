/** Apps' requests for access, users' decisions about them, and connected apps. `server/oauth/` acts on the decisions. */
import { z } from 'zod';
import { grantsMax } from '../../models/bounds.ts';
import type { OAuthQuestion } from '../../models/oauth/apps.ts';
import type { OAuthGrantRecord } from '../../models/oauth/grants.ts';
import type { SessionContext, Transaction } from '../context.ts';
import { badRequest, notFound } from '../errors.ts';
import { recordAppConnected } from '../events.ts';
import { dateTime, NoInput } from '../schemas/common.ts';
import { filledExactText } from '../schemas/text.ts';
import { appGrantableScopes, Scope, scopeSentences } from '../scopes.ts';
import { writeOnce } from '../support/write-once.ts';
import { router, sessionProcedure } from '../trpc.ts';

/** Not named `id`, because the audit stores that field, and this id is secret while the request is pending. */
const RequestId = filledExactText(100).describe(
  'The id in the address to which the authorization server sent the browser.',
);

const App = z.object({
  name: z.string().describe('The name that the app gives itself.'),
  verified_host: z.string().nullable().describe('The host that vouches for the name; null if none does.'),
});

const DescribedScope = z.object({
  scope: Scope,
  sentence: z.string(),
});

const AccessRequest = z.object({
  app: App,
  returns_to: z
    .string()
    .describe('Where the answer goes: a host, or the URL scheme of an app on the device.'),
  scopes: z.array(DescribedScope).describe('The scopes that the app requests.'),
  other_scopes: z.array(DescribedScope).describe('Other scopes that the user may grant.'),
});

const ConnectedApp = z.object({
  id: z.string(),
  app: App,
  client_id: z.string().describe('The same for all connections of one app.'),
  scopes: z.array(z.string()),
  created_at: dateTime,
  last_used_at: dateTime.nullable().describe('Accurate to the minute.'),
});

const GrantedScopes = z.array(Scope).min(1).max(100);

const presentScope = (scope: Scope): z.infer<typeof DescribedScope> => ({
  scope,
  sentence: scopeSentences[scope],
});

const presentApp = ({ name, verifiedHost }: OAuthQuestion['app']): z.infer<typeof App> => ({
  name,
  verified_host: verifiedHost,
});

const presentConnected = ({ _id, app, ...grant }: OAuthGrantRecord): z.infer<typeof ConnectedApp> => ({
  id: _id,
  app: presentApp(app),
  client_id: app.clientId,
  scopes: grant.scopes,
  created_at: grant.createdAt.toISOString(),
  last_used_at: grant.lastUsedAt?.toISOString() ?? null,
});

export const accountAppsRouter = router({
  request: sessionProcedure
    .input(z.strictObject({ request_id: RequestId }))
    .output(AccessRequest)
    .query(async ({ ctx, input: { request_id } }) => {
      const { app, returnsTo, scopes } = await getQuestion(ctx, request_id);
      const others = appGrantableScopes(ctx.offeredScopes).filter((scope) => !scopes.includes(scope));
      return {
        app: presentApp(app),
        returns_to: returnsTo,
        scopes: scopes.map(presentScope),
        other_scopes: others.map(presentScope),
      };
    }),

  allow: sessionProcedure
    .input(z.strictObject({ request_id: RequestId, scopes: GrantedScopes }))
    // The response is stored for replay, so it must not contain the request's id.
    .output(z.object({ grant: z.object({ id: z.string() }) }))
    .mutation(async ({ ctx, input: { request_id, scopes } }) => {
      const question = await getQuestion(ctx, request_id);
      const granted = requireAppScopes(ctx, scopes);
      const refusedScopes = question.scopes.filter((scope) => !granted.includes(scope));
      const wanted = { userId: ctx.caller.userId, app: question.app, scopes: granted, refusedScopes };
      return writeOnce(ctx, async (transaction) => {
        const grant = await ctx.models.oauthGrants.add(wanted, new Date(ctx.clock()), transaction);
        if (!grant) throw badRequest(`You have ${grantsMax} connected apps, the maximum; revoke one first`);
        await recordAppConnected(ctx, grant, transaction);
        await storeDecision(ctx, { request_id, grantId: grant._id }, transaction);
        return { grant: { id: grant._id } };
      });
    }),

  deny: sessionProcedure
    .input(z.strictObject({ request_id: RequestId }))
    .output(z.object({}))
    .mutation(async ({ ctx, input: { request_id } }) => {
      await getQuestion(ctx, request_id);
      return writeOnce(ctx, async (transaction) => {
        await storeDecision(ctx, { request_id, grantId: null }, transaction);
        return {};
      });
    }),

  list: sessionProcedure
    .input(NoInput)
    .output(
      z.object({
        apps: z.array(ConnectedApp),
        scopes: z.array(DescribedScope).describe('All scopes that an app may be granted.'),
      }),
    )
    .query(async ({ ctx: { models, clock, caller, offeredScopes } }) => {
      const grants = await models.oauthGrants.list(caller.userId, new Date(clock()));
      return {
        apps: grants.map(presentConnected),
        scopes: appGrantableScopes(offeredScopes).map(presentScope),
      };
    }),

  change: sessionProcedure
    .input(z.strictObject({ id: z.string().max(100), scopes: GrantedScopes }))
    .output(z.object({}))
    .mutation(async ({ ctx, input: { id, scopes } }) => {
      const granted = { id, userId: ctx.caller.userId, scopes: requireAppScopes(ctx, scopes) };
      return writeOnce(ctx, async (transaction) => {
        const isChanged = await ctx.models.oauthGrants.setScopes(granted, new Date(ctx.clock()), transaction);
        if (!isChanged) throw notFound('Connected app');
        return {};
      });
    }),

  revoke: sessionProcedure
    .input(z.strictObject({ id: z.string().max(100) }))
    .output(z.object({}))
    .mutation(async ({ ctx, input: { id } }) => {
      const { models, clock, caller } = ctx;
      const grant = await models.oauthGrants.find(id, new Date(clock()));
      const ids = grant?.userId === caller.userId ? [id] : [];
      return writeOnce(ctx, async (transaction) => {
        const ended = await models.credentials.endGrants(ids, 'disconnected', transaction);
        if (ended.length === 0) throw notFound('Connected app');
        return {};
      });
    }),
});

function requireAppScopes({ offeredScopes }: SessionContext, scopes: readonly Scope[]): Scope[] {
  const grantable = appGrantableScopes(offeredScopes);
  const other = scopes.find((scope) => !grantable.includes(scope));
  if (other) throw badRequest(`scopes must not include ${other}: no app may have it`);
  return grantable.filter((scope) => scopes.includes(scope));
}

type Question = Omit<OAuthQuestion, 'scopes'> & { scopes: Scope[] };

/** @throws not_found if the request does not exist, was answered, or is older than ten minutes */
async function getQuestion({ models, clock, offeredScopes }: SessionContext, id: string): Promise<Question> {
  const question = await models.oauthRequests.findQuestion(id, new Date(clock()));
  if (!question) throw notFound('Request');
  const scopes = appGrantableScopes(offeredScopes).filter((scope) => question.scopes.includes(scope));
  return { ...question, scopes };
}

async function storeDecision(
  { models, caller: { userId, session } }: SessionContext,
  { request_id, grantId }: { request_id: string; grantId: string | null },
  transaction: Transaction,
): Promise<void> {
  const decision = { userId, sessionId: session.id, grantId };
  if (!(await models.oauthRequests.answer(request_id, decision, transaction))) throw notFound('Request');
}
