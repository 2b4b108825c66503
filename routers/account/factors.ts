/** The user's own second factors on the account page. Changes require a recently shown factor. */
import { z } from 'zod';
import { factorsMax } from '../../models/bounds.ts';
import type { Factor, SecondFactorRecord } from '../../models/second-factor.ts';
import type { SessionContext } from '../context.ts';
import { badRequest, notFound, notSignedIn, strongSessionRequired } from '../errors.ts';
import { NoInput } from '../schemas/common.ts';
import {
  Code,
  describeFactor,
  FactorId,
  FactorName,
  NewPasskey,
  NewPasskeyQuestion,
  OwnFactor,
  presentFactor,
  RecoveryCodes,
} from '../schemas/second-factor.ts';
import { filledExactText } from '../schemas/text.ts';
import { beginAuthenticatorApp, readNewAuthenticatorApp } from '../second-factor/codes.ts';
import { askForNewPasskey, readNewPasskey } from '../second-factor/passkeys.ts';
import { writeOnce } from '../support/write-once.ts';
import { router, sessionProcedure } from '../trpc.ts';

const noFactors: Pick<SecondFactorRecord, 'factors' | 'recoveryCodes'> = { factors: [], recoveryCodes: [] };

const changeProcedure = sessionProcedure.meta({ needsFactor: true });
const enrolmentProcedure = changeProcedure.meta({ addsFactor: true });
const secretProcedure = enrolmentProcedure.meta({ hasSecretOutput: true });

export const accountFactorsRouter = router({
  list: sessionProcedure
    .meta({ addsFactor: true })
    .input(NoInput)
    .output(
      z.object({
        factors: z.array(OwnFactor),
        recovery_codes_left: z.int(),
        is_on: z.boolean().describe('Whether the host has turned on second factors.'),
      }),
    )
    .query(async ({ ctx }) => {
      const { factors, recoveryCodes } =
        (await ctx.models.secondFactors.find(ctx.caller.userId)) ?? noFactors;
      return {
        factors: factors.map(presentFactor),
        recovery_codes_left: recoveryCodes.length,
        is_on: ctx.models.vault.isUnlocked,
      };
    }),

  beginAuthenticatorApp: secretProcedure
    .input(NoInput)
    .output(
      z.object({
        token: z.string().describe('Send it back with the first code.'),
        secret: z.string().describe('For an app that cannot scan the QR code.'),
        uri: z.string().describe('The content of the QR code.'),
      }),
    )
    .mutation(async ({ ctx }) => {
      await requireFactorsBelowMax(ctx, 'app');
      return beginAuthenticatorApp(ctx);
    }),

  addAuthenticatorApp: secretProcedure
    .input(z.strictObject({ name: FactorName, token: filledExactText(2000), code: Code }))
    .output(RecoveryCodes)
    .mutation(({ ctx, input: { name, ...enrolled } }) =>
      add(ctx, readNewAuthenticatorApp(ctx, name, enrolled)),
    ),

  beginPasskey: enrolmentProcedure
    .input(NoInput)
    .output(z.object({ options: NewPasskeyQuestion }))
    .mutation(async ({ ctx }) => {
      await requireFactorsBelowMax(ctx, 'passkey');
      return { options: await askForNewPasskey(ctx) };
    }),

  addPasskey: secretProcedure
    .input(z.strictObject({ name: FactorName, passkey: NewPasskey }))
    .output(RecoveryCodes)
    .mutation(async ({ ctx, input: { name, passkey } }) =>
      add(ctx, await readNewPasskey(ctx, name, passkey)),
    ),

  rename: changeProcedure
    .input(z.strictObject({ id: FactorId, name: FactorName }))
    .output(z.object({}))
    .mutation(({ ctx, input }) =>
      writeOnce(ctx, async (transaction) => {
        const isRenamed = await ctx.models.secondFactors.rename(ctx.caller.userId, input, transaction);
        if (!isRenamed) throw notFound('Second factor');
        return {};
      }),
    ),

  remove: changeProcedure
    .input(z.strictObject({ id: FactorId }))
    .output(z.object({}))
    .mutation(({ ctx, input: { id } }) =>
      writeOnce(ctx, async (transaction) => {
        const removal = { id, at: new Date(ctx.clock()) };
        const removed = await ctx.models.secondFactors.remove(ctx.caller.userId, removal, transaction);
        if (!removed) throw notFound('Second factor');
        ctx.outcome.detail = `${describeFactor(removed)} was removed`;
        return {};
      }),
    ),

  replaceRecoveryCodes: changeProcedure
    .meta({ hasSecretOutput: true })
    .input(NoInput)
    .output(RecoveryCodes)
    .mutation(async ({ ctx }) => {
      const { user } = ctx.caller.session;
      // A user without a second factor cannot have shown one.
      const recovery_codes =
        user.hasSecondFactor && (await ctx.models.secondFactors.replaceRecoveryCodes(user._id));
      if (!recovery_codes) throw badRequest('Add a second factor first');
      return { recovery_codes };
    }),
});

const tooMany = () =>
  badRequest(`You have ${factorsMax} second factors of this kind, the maximum; remove one first`);

async function requireFactorsBelowMax(
  { models, caller }: SessionContext,
  wanted: Factor['kind'],
): Promise<void> {
  const { factors } = (await models.secondFactors.find(caller.userId)) ?? noFactors;
  if (factors.filter(({ kind }) => kind === wanted).length >= factorsMax) throw tooMany();
}

/** Adding a factor counts as showing it. */
async function add(
  { models, caller, outcome }: SessionContext,
  factor: Factor,
): Promise<z.infer<typeof RecoveryCodes>> {
  const { userId, session } = caller;
  const { linkKeyId } = session;
  const added = { ...factor, ...(linkKeyId !== undefined && { linkKeyId }) };
  const recovery_codes = await models.transaction(async (transaction) => {
    const holder = await models.secondFactors.findByFactor(factor.id, transaction);
    if (holder && holder._id !== userId) throw badRequest('The passkey belongs to another account');
    const codes = await models.secondFactors.add(userId, added, transaction);
    // Since the request arrived, another session may have added the first factor, or this session may have ended.
    if (codes?.length === 0 && !session.hasJustShownFactor) throw strongSessionRequired();
    if (codes && !(await models.sessions.recordFactor(session.id, factor.createdAt, transaction)))
      throw notSignedIn();
    return codes;
  });
  if (!recovery_codes) throw tooMany();
  outcome.detail = `${describeFactor(factor)} was added`;
  return { recovery_codes };
}
