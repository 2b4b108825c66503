/** Who calls: decided once for each request (`server/http/authenticate.ts`), and asked by `authorize`, here. */
import type { ApiKeyRecord } from '../models/api-key/store.ts';
import type { OAuthGrantRecord } from '../models/oauth/grants.ts';
import type { VerifiedSession } from '../models/session.ts';
import {
  ApiError,
  insufficientScope,
  keyRefusals,
  notSignedIn,
  strongSessionRequired,
  tokenLacksScope,
} from './errors.ts';
import { isAdminScope, isScopeFor, type Scope } from './scopes.ts';

/** A key, an app's access token, a session of the account page, or none of them that is valid. */
export type Caller = (Rights & Credential) | SessionCaller | Visitor;

/** A key, or the grant that a user gave an app. */
type Credential = { kind: 'key'; key: ApiKeyRecord } | { kind: 'app'; grant: OAuthGrantRecord };

/** What a caller may do now, whatever it is. */
interface Rights {
  /** Whose resources it reaches; 0 for a visitor, who owns nothing. */
  userId: number;
  /** The id of the key, or of the app's grant: calls and idempotency keys count for each. Empty for the others. */
  keyId: string;
  scopes: readonly Scope[];
  /** The only servers that it reaches; null: all of its owner's. */
  servers: readonly string[] | null;
}

/** A signed-in user of the account page. */
export interface SessionCaller extends Rights {
  kind: 'session';
  session: VerifiedSession;
  /** Whether staff must show a second factor here and has not: then it can add one, and nothing else. */
  lacksFactor: boolean;
}

/** A caller without a valid credential. */
export interface Visitor extends Rights {
  kind: 'visitor';
  /** What a call is refused with that a visitor may not make: why the credential is not valid, or that there is none. */
  refusal: ApiError;
  /** What was refused, for the audit of its owner; null: nothing that the service knows. */
  refusedCredential: Credential | null;
  /** A sign-in that waits for its user's second factor. */
  pending: VerifiedSession | null;
}

/** What the request was sent with, valid or refused. */
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

/** The caller of a request without a credential. */
export const visitor = visitorOf(keyRefusals.missing);

/** What an operation demands of its caller. */
export type Access =
  /** A credential with this scope, or with any; null: nothing. */
  | { scope: Scope | 'any' | null }
  /** The account page's: a session, which has the scope of administrators where there is one, or nothing. */
  | { session: 'required' | 'optional'; adminScope?: Scope; addsFactor?: true; needsFactor?: true };

/** Throws unauthorized, forbidden_address, strong_session_required or insufficient_scope unless the caller has access. */
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

/** Throws insufficient_scope, which names all of these that the caller lacks. */
export function requireScopes({ kind, scopes }: Caller, wanted: readonly Scope[]): void {
  const missing = wanted.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  const named = missing.join(' and ');
  if (kind !== 'app') throw insufficientScope(named);
  throw tokenLacksScope(named, missing.some(isAdminScope) ? null : [...scopes, ...missing]);
}

const staffLacksFactor = 'Administrators and support need a second factor here: show yours, or add one';

/** What a session may do, and the keys that are made in it: by its user's role, which a link does not open. */
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
