/** Codes of authenticator apps (TOTP, RFC 6238), and recovery codes. */
import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { AppFactor } from '../../models/second-factor.ts';
import { minuteMs } from '../../models/support/durations.ts';
import type { Context, SessionContext } from '../context.ts';
import { badRequest } from '../errors.ts';
import { runCounted } from '../support/counted.ts';
import { openSealed, requireVault, seal } from './secrets.ts';

const stepMs = 30_000;
const enrolmentMs = 30 * minuteMs;
const secretBytes = 20;

/** The form of TOTP that every app supports: SHA-1, six digits, 30 seconds. */
const totpOf = (secret: string, about: { issuer?: string; label?: string } = {}) =>
  new TOTP({ secret: Secret.fromBase32(secret), ...about });

/** The time step of a right code, at most one step early or late; null if the code is wrong. */
function stepOf(secret: string, token: string, now: number): number | null {
  const delta = totpOf(secret).validate({ token, timestamp: now, window: 1 });
  return delta === null ? null : Math.floor(now / stepMs) + delta;
}

export function beginAuthenticatorApp(ctx: SessionContext) {
  const { userId, session } = ctx.caller;
  const { base32: secret } = new Secret({ size: secretBytes });
  const enrolment = { text: `${randomUUID()} ${secret}`, ms: enrolmentMs };
  const token = seal(ctx, `enrolment ${userId}`, enrolment);
  const about = { issuer: withoutColons(ctx.hostName), label: withoutColons(session.user.email) };
  return { token, secret, uri: totpOf(secret, about).toString() };
}

/** @throws bad_request if the code is not the app's, or the setup has expired */
export function readNewAuthenticatorApp(
  ctx: SessionContext,
  name: string,
  { token, code }: { token: string; code: string },
): AppFactor {
  const now = ctx.clock();
  const { userId } = ctx.caller;
  const [id, secret] = openSealed(ctx, `enrolment ${userId}`, token) ?? [];
  if (!id || !secret) throw badRequest('The setup took too long, or began in another account; start again');
  const step = stepOf(secret, normalizeCode(code), now);
  if (step === null) throw badRequest('code is wrong; check that the clock of the device is right');
  const added = { createdAt: new Date(now), lastUsedAt: null, spent: [step] };
  const encrypted = requireVault(ctx).encryptFactor(contextOf(userId, id), secret);
  return { kind: 'app', id, name, secret: encrypted, ...added };
}

/** Binds a secret to its factor: it does not decrypt in another factor. */
const contextOf = (userId: number, id: string) => `secret ${userId} ${id}`;

/** A colon separates issuer and label: apps split at the first one. */
const withoutColons = (name: string) =>
  name
    .split(':')
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ');

/** Accepts digits of any script, and drops the gaps, dashes and invisible characters that copying adds. */
const normalizeCode = (code: string) =>
  code
    .normalize('NFKC')
    .replace(/[\p{Z}\p{C}\p{Pd}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    .replace(/\p{Nd}/gu, toAscii);

/** In Unicode, the digits of each script are consecutive, from zero to nine. */
function toAscii(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}

/** Accepts each code only once. @throws rate_limited after five wrong codes */
export async function acceptCode(ctx: Context, userId: number, typed: string): Promise<boolean> {
  const code = normalizeCode(typed);
  const attempt = ctx.accountLimits.secondFactor(userId);
  const isRight = await runCounted(attempt, () =>
    /^\d{6}$/.test(code) ? acceptAppCode(ctx, userId, code) : acceptRecoveryCode(ctx, userId, code),
  );
  if (isRight) await attempt.refund();
  return isRight;
}

async function acceptAppCode(ctx: Context, userId: number, code: string): Promise<boolean> {
  const { secondFactors } = ctx.models;
  const now = ctx.clock();
  const { factors = [] } = (await secondFactors.find(userId)) ?? {};
  for (const factor of factors) {
    if (factor.kind !== 'app') continue;
    const secret = requireVault(ctx).decryptFactor(contextOf(userId, factor.id), factor.secret);
    const oneTimeValue = stepOf(secret, code, now);
    const showing = oneTimeValue !== null && { id: factor.id, oneTimeValue, at: new Date(now) };
    if (showing && (await secondFactors.useProof(userId, showing))) return true;
  }
  return false;
}

async function acceptRecoveryCode(
  { models, clock, outcome }: Context,
  userId: number,
  code: string,
): Promise<boolean> {
  const used = { code, at: new Date(clock()) };
  const left = await models.transaction((transaction) =>
    models.secondFactors.useRecoveryCode(userId, used, transaction),
  );
  if (left === null) return false;
  outcome.detail = `A recovery code was used, ${left} left`;
  return true;
}
