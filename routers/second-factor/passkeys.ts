/** Passkeys follow WebAuthn level 3. */
import { randomUUID } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { passkeyBytesMax } from '../../models/bounds.ts';
import type { Factor, PasskeyFactor, SecondFactorRecord } from '../../models/second-factor.ts';
import { minuteMs } from '../../models/support/durations.ts';
import type { UserRecord } from '../../models/user.ts';
import type { Context, SessionContext, Transaction } from '../context.ts';
import { badRequest } from '../errors.ts';
import { openSealed, requireVault, seal } from './secrets.ts';

const loadLibrary = () => import('@simplewebauthn/server');

const challengeMs = 10 * minuteMs;

type ChallengePurpose = 'sign-in' | UserRecord['_id'];

/** A challenge is stored only when it is used. */
function newChallenge(ctx: Context, purpose: ChallengePurpose): Uint8Array<ArrayBuffer> {
  const sealed = seal(ctx, `challenge ${purpose}`, { text: randomUUID(), ms: challengeMs });
  return new Uint8Array(Buffer.from(sealed, 'base64'));
}

/** The id sealed in a challenge; empty if the challenge is not valid. Every encoding of a challenge has the same id. */
const readChallenge = (ctx: Context, purpose: ChallengePurpose, challenge: string): string =>
  openSealed(ctx, `challenge ${purpose}`, challenge)?.[0] ?? '';

export const hasPasskeys = (ctx: Pick<Context, 'models' | 'browser'>): boolean =>
  ctx.models.vault.isUnlocked && ctx.browser().relyingPartyId !== null;

function relyingPartyOf(ctx: Context) {
  const { origin, relyingPartyId: id } = ctx.browser();
  if (id === null) throw badRequest('Passkeys require a host name and https');
  return { id, expected: { expectedOrigin: origin, expectedRPID: id, requireUserVerification: true } };
}

/** Lists no passkeys of a user: the authenticator offers those that it has for the host. */
export async function askForPasskey(ctx: Context): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadLibrary();
  const { id: rpID } = relyingPartyOf(ctx);
  const challenge = newChallenge(ctx, 'sign-in');
  return generateAuthenticationOptions({
    rpID,
    challenge,
    userVerification: 'required',
    timeout: challengeMs,
  });
}

interface PasskeyUse {
  response: AuthenticationResponseJSON;
  /** Whether the user has signed in with a password that was not set through a key's link. */
  isAfterPassword: boolean;
}

/** Accepts each response only once. Resolves to the passkey and its owner, or to null if the response is not right. */
export async function acceptPasskey(
  ctx: Context,
  { response, isAfterPassword }: PasskeyUse,
  transaction: Transaction,
): Promise<{ userId: number; passkey: PasskeyFactor } | null> {
  const { expected } = relyingPartyOf(ctx);
  const { secondFactors } = ctx.models;
  const holder = await secondFactors.findByFactor(response.id, transaction);
  const passkey = holder?.factors.find(({ id }) => id === response.id);
  if (!holder || passkey?.kind !== 'passkey') return null;
  ctx.outcome.userId ??= holder._id;
  const { userHandle } = response.response;
  if (userHandle && !handlesOf(ctx, holder).includes(userHandle)) return null;
  const { verifyAuthenticationResponse } = await loadLibrary();
  let oneTimeValue = '';
  const expectedChallenge = (challenge: string) => {
    oneTimeValue = readChallenge(ctx, 'sign-in', challenge);
    return oneTimeValue !== '';
  };
  const credential = { ...passkey, publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')) };
  const answer = { response, ...expected, expectedChallenge, credential };
  const { verified, authenticationInfo } = await verifyAuthenticationResponse(answer).catch(notRight);
  if (!verified) return null;
  const at = new Date(ctx.clock());
  const showing = {
    id: passkey.id,
    oneTimeValue,
    counter: authenticationInfo.newCounter,
    isAfterPassword,
    at,
  };
  const isFirst = await secondFactors.useProof(holder._id, showing, transaction);
  return isFirst ? { userId: holder._id, passkey } : null;
}

/** The library throws if anything in the response is unexpected. */
const notRight = () => ({ verified: false, authenticationInfo: { newCounter: 0 } });

/** The oldest passkeys have the user's id as their handle. */
const handlesOf = (ctx: Context, { _id }: SecondFactorRecord) => [
  requireVault(ctx).passkeyHandle(_id),
  Buffer.from(String(_id)).toString('base64url'),
];

export async function askForNewPasskey(ctx: SessionContext): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadLibrary();
  const { id: rpID } = relyingPartyOf(ctx);
  const { user } = ctx.caller.session;
  const known = await ctx.models.secondFactors.find(user._id);
  return generateRegistrationOptions({
    rpName: ctx.hostName,
    rpID,
    userName: user.email,
    userDisplayName: user.nickname ?? user.email,
    userID: new Uint8Array(Buffer.from(requireVault(ctx).passkeyHandle(user._id), 'base64url')),
    challenge: newChallenge(ctx, user._id),
    timeout: challengeMs,
    excludeCredentials: (known?.factors ?? []).flatMap(asExcluded),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
}

/** EdDSA, ES256 and RS256. If Node.js supports ML-DSA, the library prefers it, but its keys exceed `passkeyBytesMax`. */
const algorithms = [-8, -7, -257];

/** The library copies every field that it gets into the options for the browser, so it gets only these two. */
const asExcluded = (factor: Factor) =>
  factor.kind === 'passkey' ? [{ id: factor.id, transports: factor.transports }] : [];

export async function readNewPasskey(
  ctx: SessionContext,
  name: string,
  response: RegistrationResponseJSON,
): Promise<PasskeyFactor> {
  const { verifyRegistrationResponse } = await loadLibrary();
  await requireNoChain(response);
  const { userId } = ctx.caller;
  const expectedChallenge = (challenge: string) => readChallenge(ctx, userId, challenge) !== '';
  const answer = { response, ...relyingPartyOf(ctx).expected, expectedChallenge };
  const { registrationInfo } = await verifyRegistrationResponse(answer).catch(refuse);
  if (!registrationInfo) throw notAdded();
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
  if (publicKey.length > passkeyBytesMax) throw notAdded();
  const added = { createdAt: new Date(ctx.clock()), lastUsedAt: null, spent: [] };
  const key = { publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports };
  return { kind: 'passkey', id, name, ...key, ...added };
}

const notAdded = (cause?: unknown) => badRequest('The passkey could not be added; try again', cause);

const refuse = (failure: unknown): never => {
  throw notAdded(failure);
};

/** For other formats, the library would fetch addresses from the certificates. We do not request those formats. */
const knownFormats = ['none', 'packed'];

async function requireNoChain({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const bytes = new Uint8Array(Buffer.from(response.attestationObject, 'base64url'));
  const read = async () => decodeAttestationObject(bytes).get('fmt');
  const format = await read().catch(refuse);
  if (!knownFormats.includes(format)) throw notAdded();
}
