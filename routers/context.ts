/** What a procedure is called with: the caller, the stores, and the outside world as ports. */
import type { Models } from '../models/index.ts';
import type { UserRecord } from '../models/user.ts';
import type { KeyRefusal } from './errors.ts';
import type { Panel } from './panel-port.ts';
import type { AccountLimits, CallLimit, Clock, SingleSignOn } from './ports.ts';
import type { Scope } from './scopes.ts';

/** The owner of a verified key or access token, and what it may do now. */
export interface Caller {
  userId: number;
  /** The id of the key, or of the grant: calls and idempotency keys count for each. */
  keyId: string;
  scopes: readonly Scope[];
  /** The key's own limit; null: the service's. */
  callsPerMinute: number | null;
  /** The app that the owner granted access; null for a key. */
  app: CallingApp | null;
}

export interface CallingApp {
  name: string;
  /** When the grant ends at the latest. */
  endsAt: Date;
}

/** A signed-in user of the account page. */
export interface Session {
  id: string;
  user: UserRecord;
  isSingleSignOn: boolean;
}

/** The browser that shows the account page. */
export interface Browser {
  /** Its true address. */
  address: string;
  /** Sets the session cookie, which lasts until `expiresAt`. */
  setToken(token: string, expiresAt: Date): void;
  clearToken(): void;
  /** The service's own address as the browser sees it, without a path. */
  origin: string;
  /** Such as "Firefox on Windows"; null when unknown. */
  device: string | null;
  /** What a pending single sign-on left in the browser's cookie; empty when there is none. */
  flow: string;
  /** Sets the cookie of a pending single sign-on. */
  setFlow(flow: string): void;
  clearFlow(): void;
  /** Names the user of an attempted sign-in for the audit; null: no such user. */
  auditAs(userId: number | null): void;
}

export interface Context {
  caller: Caller | null;
  /** Why there is no caller. */
  keyRefusal: KeyRefusal;
  /** Null for visitors who are not signed in, and for API calls. */
  session: Session | null;
  /** Null for API calls. */
  browser: Browser | null;
  requestId: string;
  /** Under an idempotency key: the same at each try of one write, so that a store makes it once. */
  writeId?: string | undefined;
  /** Called by an upsert that created something, where the caller is told (REST answers 201 then). */
  onCreated?: (() => void) | undefined;
  /** Names the owner of the resource for the audit, where staff works on a customer's. */
  auditOwner?: ((userId: number) => void) | undefined;
  models: Models;
  panel: Panel;
  clock: Clock;
  callLimit: CallLimit;
  accountLimits: AccountLimits;
  /** Null where no identity provider is configured. */
  singleSignOn: SingleSignOn | null;
  /** The scopes that keys can have. */
  offeredScopes: readonly Scope[];
  /** Whether users may let apps act for them: whether the service is an authorization server. */
  hasApps: boolean;
  /** Whether users may sign in with a password. */
  hasPasswordSignIn: boolean;
  /** The OpenAPI document of this router; generated in bridge/, which reads the procedures. */
  openApiDocument: (request: { version: '3.1' | '3.0'; baseUrl: string }) => Promise<{ openapi: string }>;
  /** The absolute URL at which the client reaches the service, without a trailing slash. */
  baseUrl: () => string;
}
