/**
 * The account page's procedures for apps: what an app requests, the user's decision, and the apps that are connected. An
 * app is granted access in the session that decides; the authorization server goes on from there (`server/oauth/`).
 */
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

/** Not named `id`, which the audit stores: it is a secret while the request waits. */
const RequestId = filledExactText(100).describe(
  'As the address that the authorization server sent the browser to has it.',
);

const App = z.object({
  name: z.string().describe('As the app calls itself.'),
  verified_host: z.string().nullable().describe('The host that vouches for the name; null: nothing does.'),
});

const DescribedScope = z.object({
  scope: Scope,
  sentence: z.string(),
  is_read_only: z.boolean(),
});

const AccessRequest = z.object({
  app: App,
  returns_to: z.string().describe('Where the answer goes: a host, or the scheme of an app on the device.'),
  scopes: z.array(DescribedScope).describe('What the app asks for.'),
  other_scopes: z.array(DescribedScope).describe('What it may be granted as well.'),
});

const ConnectedApp = z.object({
  id: z.string(),
  app: App,
  client_id: z.string().describe('The same for all connections of one app.'),
  scopes: z.array(z.string()),
  created_at: dateTime,
  last_used_at: dateTime.nullable().describe('To the minute.'),
});

const GrantedScopes = z.array(Scope).min(1).max(100);

const presentScope = (scope: Scope): z.infer<typeof DescribedScope> => ({
  scope,
  sentence: scopeSentences[scope],
  is_read_only: scope.startsWith('read:'),
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
    // Without the request's id: what a write answers is stored for its repetition.
    .output(z.object({ grant: z.object({ id: z.string() }) }))
    .mutation(async ({ ctx, input: { request_id, scopes } }) => {
      const question = await getQuestion(ctx, request_id);
      const granted = requireAppScopes(ctx, scopes);
      const refusedScopes = question.scopes.filter((scope) => !granted.includes(scope));
      const wanted = { userId: ctx.caller.userId, app: question.app, scopes: granted, refusedScopes };
      return writeOnce(ctx, async (transaction) => {
        const grant = await ctx.models.oauthGrants.add(wanted, new Date(ctx.clock()), transaction);
        if (!grant) throw badRequest(`You have ${grantsMax} connected apps; revoke one`);
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
        scopes: z.array(DescribedScope).describe('All that an app may be granted.'),
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

/** @throws bad_request for what no app may be granted here */
function requireAppScopes({ offeredScopes }: SessionContext, scopes: readonly Scope[]): Scope[] {
  const grantable = appGrantableScopes(offeredScopes);
  const other = scopes.find((scope) => !grantable.includes(scope));
  if (other) throw badRequest(`scopes must not have ${other}: no app may be granted it`);
  return grantable.filter((scope) => scopes.includes(scope));
}

type Question = Omit<OAuthQuestion, 'scopes'> & { scopes: Scope[] };

/** @throws not_found when there is no such request, it was answered, or it is older than ten minutes */
async function getQuestion({ models, clock, offeredScopes }: SessionContext, id: string): Promise<Question> {
  const question = await models.oauthRequests.findQuestion(id, new Date(clock()));
  if (!question) throw notFound('Request');
  const scopes = appGrantableScopes(offeredScopes).filter((scope) => question.scopes.includes(scope));
  return { ...question, scopes };
}

/** @throws not_found where it was answered meanwhile */
async function storeDecision(
  { models, caller: { userId, session } }: SessionContext,
  { request_id, grantId }: { request_id: string; grantId: string | null },
  transaction: Transaction,
): Promise<void> {
  const decision = { userId, sessionId: session.id, grantId };
  if (!(await models.oauthRequests.answer(request_id, decision, transaction))) throw notFound('Request');
}
