/** A shown second factor completes a pending sign-in, or unlocks a session. A passkey also signs in by itself. */
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import type { UserRecord } from '../../models/user.ts';
import type { Caller } from '../caller.ts';
import type { Context, Transaction } from '../context.ts';
import { ApiError, notSignedIn, passwordsOff } from '../errors.ts';
import { NoInput } from '../schemas/common.ts';
import { Code, FactorKind, PasskeyAnswer, PasskeyQuestion } from '../schemas/second-factor.ts';
import { isStaff } from '../scopes.ts';
import { acceptCode } from '../second-factor/codes.ts';
import { acceptPasskey, askForPasskey } from '../second-factor/passkeys.ts';
import { visitorProcedure } from '../trpc.ts';
import { findSettablePassword, LinkedUser } from './links.ts';
import { openSession, presentUser, sessionOrPendingOf } from './sign-in.ts';

export const PendingSignIn = z.object({ kinds: z.array(FactorKind) });

export async function pendingSignInOf(
  caller: Caller,
  { secondFactors }: Context['models'],
): Promise<z.infer<typeof PendingSignIn> | null> {
  if (caller.kind !== 'visitor' || !caller.pending) return null;
  const { factors = [] } = (await secondFactors.find(caller.pending.user._id)) ?? {};
  return { kinds: FactorKind.options.filter((kind) => factors.some((factor) => factor.kind === kind)) };
}

const wrongCode = 'code is wrong, or was used before';
const wrongPasskey = 'This passkey does not work here; try again, or sign in another way';
const passwordFirst = {
  link: 'This passkey was added after signing in by a link: sign in with your password first',
  promotion: 'This passkey was added before you became staff: sign in with your password first',
};

const ShownFactor = z
  .strictObject({ code: Code.optional(), passkey: PasskeyAnswer.optional() })
  .refine(({ code, passkey }) => (code === undefined) !== (passkey === undefined), {
    path: ['code'],
    error: 'or passkey is required, but not both',
  });

/** A wrong factor does not end a session, so the error in a session is bad_request, not unauthorized. */
const factorRefused = ({ caller }: Context, message: string) =>
  new ApiError(caller.kind === 'session' ? 'bad_request' : 'unauthorized', message);

export const factorProcedures = {
  askForPasskey: visitorProcedure
    .input(NoInput)
    .output(z.object({ options: PasskeyQuestion }))
    .mutation(async ({ ctx }) => ({ options: await askForPasskey(ctx) })),

  showFactor: visitorProcedure
    .input(ShownFactor)
    .output(LinkedUser)
    .mutation(async ({ ctx, input: { code, passkey } }) => {
      const current = sessionOrPendingOf(ctx.caller);
      ctx.outcome.userId = current?.user._id ?? null;
      const { transaction } = ctx.models;
      if (passkey)
        return transaction(async (within) =>
          continueWithFactor(ctx, await userOfPasskey(ctx, passkey, within), within),
        );
      // The code is checked outside the transaction, because a retry of the transaction would count the attempt twice.
      const factorOwner = await userOfCode(ctx, current?.user ?? null, code ?? '');
      return transaction((within) => continueWithFactor(ctx, factorOwner, within));
    }),
};

interface FactorOwner {
  user: UserRecord;
  /** The key whose link led to the session in which the passkey was added. */
  linkKeyId?: string | undefined;
}

/** In one transaction: if a leak report, say, ends the passkey or the session meanwhile, it also ends the new session. */
async function continueWithFactor(ctx: Context, { user, linkKeyId }: FactorOwner, transaction: Transaction) {
  const { caller, models } = ctx;
  const current = sessionOrPendingOf(caller);
  const { isFromLink = false, mailedTo } = current ?? {};
  const keyId = current ? current.linkKeyId : linkKeyId;
  const factorAt = new Date(ctx.clock());
  if (current && !(await models.sessions.recordFactor(current.id, factorAt, transaction)))
    throw notSignedIn();
  const next = { user, isFromLink, linkKeyId: keyId, mailedTo, factorAt };
  if (caller.kind !== 'session') await openSession(ctx, next, transaction);
  return { user: presentUser(user), password: findSettablePassword(ctx, user, { mailedTo, keyId }) };
}

async function userOfCode(ctx: Context, user: UserRecord | null, code: string): Promise<FactorOwner> {
  if (!user) throw notSignedIn();
  if (!(await acceptCode(ctx, user._id, code))) throw factorRefused(ctx, wrongCode);
  return { user };
}

async function userOfPasskey(
  ctx: Context,
  response: AuthenticationResponseJSON,
  transaction: Transaction,
): Promise<FactorOwner> {
  const current = sessionOrPendingOf(ctx.caller);
  if (!current && !ctx.hasPasswordSignIn) throw passwordsOff();
  const isAfterPassword =
    current !== null && !current.isFromLink && !current.isSingleSignOn && current.linkKeyId === undefined;
  const accepted = await acceptPasskey(ctx, { response, isAfterPassword }, transaction);
  const user = accepted && (await ctx.models.users.findInTransaction(accepted.userId, transaction));
  if (!user || (current && current.user._id !== user._id)) throw factorRefused(ctx, wrongPasskey);
  const { linkKeyId, needsPassword } = accepted.passkey;
  // The key's holder may have added the passkey before the user became staff.
  if (!current && linkKeyId !== undefined && isStaff(user)) throw factorRefused(ctx, passwordFirst.link);
  if (!current && needsPassword) throw factorRefused(ctx, passwordFirst.promotion);
  return { user, linkKeyId };
}
