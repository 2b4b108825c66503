/** The user's API keys on the account page: list, create, rotate, revoke. */
import { z } from 'zod';
import type { IssuedKey as Issued, Rotation } from '../../models/api-key/store.ts';
import { liveKeysMax } from '../../models/bounds.ts';
import { hourMs } from '../../models/support/durations.ts';
import type { SessionContext, Transaction } from '../context.ts';
import { revokeKey } from '../credentials.ts';
import { badRequest, notFound } from '../errors.ts';
import { recordKeyEvent } from '../events.ts';
import { findForeignServer, keyProblem, latestExpiry } from '../key-restrictions.ts';
import { NoInput } from '../schemas/common.ts';
import {
  KeyCreateRequest,
  KeyRenameRequest,
  KeyRotateRequest,
  OwnKey,
  presentOwnKey,
} from '../schemas/key.ts';
import { inactiveReason, isAdminScope, isScopeFor, Scope, scopeSentences } from '../scopes.ts';
import { runCounted } from '../support/counted.ts';
import { writeOnce } from '../support/write-once.ts';
import { router, sessionProcedure } from '../trpc.ts';

const IssuedKey = z.object({ key: OwnKey, secret: z.string() });

const LiveKey = OwnKey.extend({
  calls_left: z.int().describe('Calls left in the current minute.'),
  calls_per_minute: z.int().describe("The key's own limit, or the service's."),
  inactive_scopes: z
    .array(z.object({ scope: z.string(), reason: z.string() }))
    .describe('The scopes that it holds and cannot use now, which `scopes` leaves out.'),
});

export const accountKeysRouter = router({
  list: sessionProcedure
    .input(NoInput)
    .output(
      z.object({
        live: z.array(LiveKey),
        ended: z.array(OwnKey),
        grantable_scopes: z.array(z.object({ scope: Scope, sentence: z.string() })),
        live_max: z.int(),
        max_days: z.int().nullable().describe('A new key must expire within this many days; null: no limit.'),
        can_restrict_addresses: z.boolean(),
        calls_per_minute: z.int().describe('The limit for keys that do not set one.'),
      }),
    )
    .query(async ({ ctx }) => {
      const { models, callLimit, clock, caller, offeredScopes, keyPolicy } = ctx;
      const now = new Date(clock());
      const [live, ended] = await Promise.all([
        models.apiKeys.listLive(caller.userId, now),
        models.apiKeys.listEnded(caller.userId, now, 20),
      ]);
      const presentLiveKey = async (key: (typeof live)[number]) => ({
        ...presentOwnKey(key, now, offeredScopes),
        ...presentHeldScopes(key.scopes, ctx),
        calls_left: await callLimit.callsLeft(key._id, key.callsPerMinute ?? undefined),
        calls_per_minute: key.callsPerMinute ?? callLimit.perMinute,
      });
      return {
        live: await Promise.all(live.map(presentLiveKey)),
        ended: ended.map((key) => presentOwnKey(key, now, offeredScopes)),
        grantable_scopes: presentKeyScopes(ctx),
        live_max: liveKeysMax,
        max_days: keyPolicy.maxDays,
        can_restrict_addresses: keyPolicy.canRestrictAddresses,
        calls_per_minute: callLimit.perMinute,
      };
    }),

  create: sessionProcedure
    .meta({ slot: 'panel', hasSecretOutput: true })
    .input(KeyCreateRequest)
    .output(IssuedKey)
    .mutation(async ({ ctx, input }) => {
      const now = new Date(ctx.clock());
      const expiresAt = input.expires_at === null ? null : new Date(input.expires_at);
      if (expiresAt && expiresAt <= now) throw badRequest('expires_at must be in the future');
      const { name, servers, addresses } = input;
      const granted = { name, scopes: requireKeyScopes(ctx, input.scopes), servers, addresses, expiresAt };
      const problem = keyProblem(granted, ctx.keyPolicy, now);
      if (problem) throw badRequest(problem);
      if (servers && (await findForeignServer(ctx, servers))) throw notFound('Server');
      const keyOfLostResponse = await findKeyOfLostResponse(ctx, now);
      if (keyOfLostResponse) return rotate(ctx, { id: keyOfLostResponse._id, overlapMs: 0 }, now);
      const newKey = { ...granted, userId: ctx.caller.userId, writeId: ctx.writeId };
      return issue(ctx, { at: now, reason: null }, async (transaction) => {
        const issued = await ctx.models.apiKeys.add(newKey, now, transaction);
        if (!issued) throw badRequest(`You have ${liveKeysMax} live keys; revoke one first`);
        return issued;
      });
    }),

  rotate: sessionProcedure
    .meta({ hasSecretOutput: true })
    .input(KeyRotateRequest)
    .output(IssuedKey)
    .mutation(async ({ ctx, input: { id, overlap_hours } }) => {
      const now = new Date(ctx.clock());
      const keyOfLostResponse = await findKeyOfLostResponse(ctx, now);
      const overlapMs = overlap_hours * hourMs;
      return keyOfLostResponse
        ? rotate(ctx, { id: keyOfLostResponse._id, overlapMs: Math.min(overlapMs, overlapMsMin) }, now)
        : rotate(ctx, { id, overlapMs }, now);
    }),

  rename: sessionProcedure
    .input(KeyRenameRequest)
    .output(z.object({ key: OwnKey }))
    .mutation(({ ctx, input: { id, name } }) =>
      writeOnce(ctx, async (transaction) => {
        const key = await ctx.models.apiKeys.rename(id, name, { userId: ctx.caller.userId, transaction });
        if (!key) throw notFound('Key');
        return { key: presentOwnKey(key, new Date(ctx.clock()), ctx.offeredScopes) };
      }),
    ),

  revoke: sessionProcedure
    .input(z.strictObject({ id: z.string() }))
    .output(z.object({ key: OwnKey }))
    .mutation(({ ctx, input: { id } }) =>
      writeOnce(ctx, async (transaction) => {
        const at = new Date(ctx.clock());
        const key = await revokeKey(ctx, { id, userId: ctx.caller.userId, at }, transaction);
        if (!key) throw notFound('Key');
        return { key: presentOwnKey(key, at, ctx.offeredScopes) };
      }),
    ),
});

/** The first try moved the webhooks to the key of the lost response. A rotation without overlap would turn them off. */
const overlapMsMin = 1;

/** The key that an earlier try of this write made. Its secret was lost with the response, so this try replaces it. */
async function findKeyOfLostResponse({ models, caller, writeId }: SessionContext, now: Date) {
  if (writeId === undefined) return undefined;
  const live = await models.apiKeys.listLive(caller.userId, now);
  return live.find((key) => key.writeId === writeId);
}

function rotate(ctx: SessionContext, { id, overlapMs }: Pick<Rotation, 'id' | 'overlapMs'>, now: Date) {
  const { models, caller, offeredScopes } = ctx;
  const rotation: Rotation = {
    userId: caller.userId,
    id,
    overlapMs,
    writeId: ctx.writeId,
    expiresBy: latestExpiry(ctx.keyPolicy, now),
    allowedScopes: offeredScopes,
    forbiddenScopes: caller.session.isFromLink ? offeredScopes.filter(isAdminScope) : [],
  };
  return issue(ctx, { at: now, reason: 'rotated' }, async (transaction) => {
    const issued = await models.credentials.rotateKey(rotation, now, transaction);
    if (typeof issued === 'string') throw rotationRefusals[issued]();
    return issued;
  });
}

/** Stores the key and its event in one transaction: if only the event failed, the key's secret would be lost. */
async function issue(
  ctx: SessionContext,
  event: { at: Date; reason: string | null },
  make: (transaction: Transaction) => Promise<Issued>,
) {
  const { accountLimits, callLimit, caller, models, offeredScopes } = ctx;
  const makeWithEvent = async (transaction: Transaction) => {
    const issued = await make(transaction);
    // Calls of keys that ended in the last minute count against the new key's limit, or each new key would reset the limit.
    const ended = await models.apiKeys.listJustEnded(caller.userId, event.at, transaction);
    await callLimit.inherit(ended, issued.key);
    await recordKeyEvent(ctx, issued.key, { type: 'key.created', ...event, transaction });
    return issued;
  };
  const attempt = accountLimits.newKey(caller.userId);
  const { key, secret } = await runCounted(attempt, () => models.transaction(makeWithEvent));
  return { key: presentOwnKey(key, event.at, offeredScopes), secret };
}

const passwordSignInAdvice = 'sign in with your password, not by a link';

const rotationRefusals = {
  scope_refused: () => badRequest(`The key has scopes for administrators: ${passwordSignInAdvice}`),
  not_found: () => notFound('Live key'),
  replaced: () => badRequest('The key has already been rotated'),
  full: () => badRequest(`You have ${liveKeysMax} live keys; revoke one, or rotate without overlap`),
};

const presentKeyScopes = ({ caller }: SessionContext) =>
  caller.scopes.map((scope) => ({ scope, sentence: scopeSentences[scope] }));

function presentHeldScopes(held: readonly string[], { caller, offeredScopes }: SessionContext) {
  const explained = held.map((scope) => ({
    scope,
    reason: inactiveReason(scope, offeredScopes, caller.session.user),
  }));
  return {
    scopes: explained.flatMap(({ scope, reason }) => (reason === null ? [scope] : [])),
    inactive_scopes: explained.flatMap(({ scope, reason }) => (reason === null ? [] : [{ scope, reason }])),
  };
}

function requireKeyScopes({ offeredScopes, caller }: SessionContext, requested: readonly string[]): Scope[] {
  const granted = requested.map((name, index) => {
    const scope = offeredScopes.find((offered) => offered === name);
    if (!scope) throw badRequest(`scopes.${index} must be one of ${offeredScopes.join(', ')}`);
    if (!isScopeFor(caller.session.user, scope))
      throw badRequest(`scopes must not include ${scope}: your account lacks the role for it`);
    if (!caller.scopes.includes(scope))
      throw badRequest(`scopes must not include ${scope}: ${passwordSignInAdvice}`);
    return scope;
  });
  return [...new Set(granted)];
}
