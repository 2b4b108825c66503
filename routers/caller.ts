/** `server/http/authenticate.ts` determines the caller once for each request, and `authorize` checks it. */
import type { ApiKeyRecord } from '../models/api-key/store.ts';
import type { OAuthGrantRecord } from '../models/oauth/grants.ts';
import type { VerifiedSession } from '../models/session.ts';
import {
  ApiError,
  insufficientScope,
  keyRefusals,
  noAppHasScope,
  notSignedIn,
  strongSessionRequired,
  tokenLacksScope,
} from './errors.ts';
import { isAdminScope, isScopeFor, type Scope } from './scopes.ts';

/** A key, an app's access token, a session of the account page, or a visitor, who has no valid credential. */
export type Caller = (Rights & Credential & Origin) | SessionCaller | Visitor;

type Credential = { kind: 'key'; key: ApiKeyRecord } | { kind: 'app'; grant: OAuthGrantRecord };

interface Origin {
  /** The service's address, for refusals that say where the owner adds a scope. Empty if the host has not set it. */
  publicUrl: string;
}

interface Rights {
  /** The owner of the resources that the caller reaches; 0 for a visitor, who owns nothing. */
  userId: number;
  /** The id of the key or of the app's grant, each with its own call limit and idempotency keys. Empty for others. */
  keyId: string;
  scopes: readonly Scope[];
  /** The only servers that the caller reaches; null: all of its owner's. */
  servers: readonly string[] | null;
}

export interface SessionCaller extends Rights {
  kind: 'session';
  session: VerifiedSession;
  /** Whether the user is staff and must first show a second factor. Until then, the session can only add one. */
  lacksFactor: boolean;
}

export interface Visitor extends Rights {
  kind: 'visitor';
  /** The error for calls that need a credential: it was not sent, or it is not valid. */
  refusal: ApiError;
  /** The refused credential, for its owner's audit; null if the service does not know it. */
  refusedCredential: Credential | null;
  /** A sign-in that waits for its user's second factor. */
  pending: VerifiedSession | null;
}

export function credentialOf(caller: Caller): Credential | null {
  if (caller.kind === 'visitor') return caller.refusedCredential;
  return caller.kind === 'session' ? null : caller;
}

export const visitorOf = (
  refusal: ApiError,
  refusedCredential: Credential | null = null,
  pending: VerifiedSession | null = null,
): Visitor => ({
  kind: 'visitor',
  userId: 0,
  keyId: '',
  scopes: [],
  servers: null,
  refusal,
  refusedCredential,
  pending,
});

export const visitor = visitorOf(keyRefusals.missing);

export type Access =
  /** The scope that the credential needs. `any`: every valid credential. Null: no credential. */
  | { scope: Scope | 'any' | null }
  /** For the account page. `required`: only a session may call. `adminScope`: the user needs the role for that scope. */
  | { session: 'required' | 'optional'; adminScope?: Scope; addsFactor?: true; needsFactor?: true };

/** @throws unauthorized, forbidden_address, strong_session_required or insufficient_scope */
export function authorize(caller: Caller, access: Access): void {
  if ('session' in access) {
    if (access.session === 'optional') return;
    if (caller.kind !== 'session') throw notSignedIn();
    if (caller.lacksFactor && !access.addsFactor) throw strongSessionRequired(staffLacksFactor);
    const { user, hasJustShownFactor } = caller.session;
    if (access.needsFactor && user.hasSecondFactor && !hasJustShownFactor) throw strongSessionRequired();
    if (access.adminScope !== undefined) requireScopeFor(caller.session, access.adminScope);
    return;
  }
  const { scope } = access;
  if (scope === null) return;
  if (caller.kind === 'visitor') throw caller.refusal;
  if (scope !== 'any') requireScopes(caller, [scope]);
}

/** @throws insufficient_scope, which names all scopes that the caller lacks */
export function requireScopes(caller: Caller, wanted: readonly Scope[]): void {
  const { scopes } = caller;
  const missing = wanted.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  const named = missing.join(' and ');
  if (caller.kind !== 'app') throw insufficientScope(named, caller.kind === 'key' ? caller.publicUrl : '');
  if (missing.some(isAdminScope)) throw noAppHasScope(named);
  throw tokenLacksScope(named, [...scopes, ...missing], caller.publicUrl);
}

const staffLacksFactor = 'Administrators and support need a second factor here: show yours, or add one';

/**
 * The scopes of a session and of the keys made in it. A session from a link has no admin scopes, whatever the user's role.
 */
export const scopesOfSession = ({ user, isFromLink }: VerifiedSession, offered: readonly Scope[]): Scope[] =>
  offered.filter((scope) => isScopeFor(user, scope) && !(isFromLink && isAdminScope(scope)));

function requireScopeFor({ user, isFromLink }: VerifiedSession, scope: Scope): void {
  const isForStaff = scope === 'admin:tickets';
  if (!isScopeFor(user, scope))
    throw sessionForbidden(`Only administrators ${isForStaff ? 'and support ' : ''}may do this`);
  if (isFromLink && !isForStaff)
    throw sessionForbidden('Sign in with your password to do this, not by a link');
}

const sessionForbidden = (message: string) => new ApiError('insufficient_scope', message);
