/** API keys, as their owners have, make and end them on the account page. */
import { z } from 'zod';
import { liveKeysMax } from '../models/key-ring.ts';
import type { Session } from './context.ts';
import { badRequest, notFound } from './errors.ts';
import { isAdminScope, Scope, scopeSentences, scopes } from './scopes.ts';
import { KeyCreateRequest, KeyRotateRequest, OwnKey, presentOwnKey } from './shapes/key.ts';
import { Nothing } from './shapes/nothing.ts';
import { router, sessionProcedure } from './trpc.ts';

const IssuedKey = z.object({ key: OwnKey, secret: z.string() });

/** Keys that have ended are shown for a while, so that nobody wonders where they went. */
const endedShownMax = 20;

const hourMs = 60 * 60 * 1000;

export const ownKeysRouter = router({
  list: sessionProcedure
    .input(Nothing)
    .output(
      z.object({
        live: z.array(OwnKey.extend({ calls_left: z.int().describe('In the minute under way.') })),
        ended: z.array(OwnKey),
        grantable_scopes: z.array(z.object({ scope: Scope, sentence: z.string() })),
        live_max: z.int(),
        calls_per_minute: z.int(),
      }),
    )
    .query(async ({ ctx: { models, callLimit, clock, session } }) => {
      const now = new Date(clock());
      const [live, ended] = await Promise.all([
        models.apiKeys.listLive(session.user._id, now),
        models.apiKeys.listEnded(session.user._id, now, endedShownMax),
      ]);
      const present = async (key: (typeof live)[number]) => ({
        ...presentOwnKey(key, now),
        calls_left: await callLimit.callsLeft(key._id),
      });
      return {
        live: await Promise.all(live.map(present)),
        ended: ended.map((key) => presentOwnKey(key, now)),
        grantable_scopes: grantableScopes(session),
        live_max: liveKeysMax,
        calls_per_minute: callLimit.perMinute,
      };
    }),

  create: sessionProcedure
    .input(KeyCreateRequest)
    .output(IssuedKey)
    .mutation(async ({ ctx, input }) => {
      const now = new Date(ctx.clock());
      const expiresAt = input.expires_at === null ? null : new Date(input.expires_at);
      if (expiresAt && expiresAt <= now) throw badRequest('expires_at must be in the future');
      const refused = input.scopes.find((scope) => !isGrantable(ctx.session, scope));
      if (refused) throw badRequest(`scopes must not have ${refused}: it is for administrators`);
      const granted = { name: input.name, scopes: [...new Set(input.scopes)], expiresAt };
      const issued = await ctx.models.keyRings.add({ ...granted, userId: ctx.session.user._id }, now);
      if (!issued) throw badRequest(`You have ${liveKeysMax} live keys; revoke one first`);
      return { key: presentOwnKey(issued.key, now), secret: issued.secret };
    }),

  rotate: sessionProcedure
    .input(KeyRotateRequest)
    .output(IssuedKey)
    .mutation(async ({ ctx, input: { id, overlap_hours } }) => {
      const now = new Date(ctx.clock());
      const rotation = { userId: ctx.session.user._id, id, overlapMs: overlap_hours * hourMs };
      const issued = await ctx.models.keyRings.rotate(rotation, now);
      if (issued === 'not_found') throw notFound('Live key');
      if (issued === 'replaced') throw badRequest('The key has been rotated already');
      if (issued === 'full')
        throw badRequest(`You have ${liveKeysMax} live keys; revoke one, or rotate without overlap`);
      return { key: presentOwnKey(issued.key, now), secret: issued.secret };
    }),

  revoke: sessionProcedure
    .input(z.strictObject({ id: z.string() }))
    .output(z.object({ key: OwnKey }))
    .mutation(async ({ ctx, input: { id } }) => {
      const now = new Date(ctx.clock());
      const key = await ctx.models.apiKeys.revokeOwned(ctx.session.user._id, id, now);
      if (!key) throw notFound('Key');
      return { key: presentOwnKey(key, now) };
    }),
});

const isGrantable = ({ user }: Session, scope: Scope) => user.isAdmin || !isAdminScope(scope);

const grantableScopes = (session: Session) =>
  scopes
    .filter((scope) => isGrantable(session, scope))
    .map((scope) => ({ scope, sentence: scopeSentences[scope] }));
