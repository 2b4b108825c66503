/** What a procedure is called with: the caller, the stores, and the outside world as ports. */
import type { Models } from '../models/index.ts';
import type { Caller, SessionCaller } from './caller.ts';
import type { Panel } from './panel-port.ts';
import type { PlayersPort } from './players-port.ts';
import type { AccountLimits, CallLimit, Clock, SingleSignOn, WebhookAddresses } from './ports.ts';
import type { Scope } from './scopes.ts';

export type Transaction = Parameters<Parameters<Models['transaction']>[0]>[0];

/** The browser that shows the account page. */
export interface Browser {
  /** Sets the session cookie, which lasts until `expiresAt`. */
  setToken(token: string, expiresAt: Date): void;
  clearToken(): void;
  /** The service's own address as the browser sees it, without a path. */
  origin: string;
  /** What passkeys are bound to: the host of the service's own address where it has a name; null: there are none here. */
  relyingPartyId: string | null;
  /** Such as "Firefox on Windows"; null when unknown. */
  device: string | null;
  /** Pending single sign-ons, of which each tab may have one: each is found by its state. */
  flows: {
    /** What one left in the browser; empty when there is none. */
    read(state: string): string;
    keep(state: string, flow: string, expiresAt: Date): void;
    drop(state: string): void;
  };
}

/** How a call ended, in addition to its output; stored with it under an idempotency key. */
export interface Outcome {
  /** Whether a write that also changes things created one: 201 in place of 200. */
  isCreated?: boolean;
  /** The owner of the resource, where staff works on a customer's. */
  ownerId?: number;
  /** What of the target the call was about, such as the path of a file. */
  detail?: string;
  /** The user of an attempted sign-in; null: no such user. */
  userId?: number | null;
  /** Whether it is the outcome of an earlier call with the same idempotency key. */
  isReplayed?: boolean;
}

/** What the operator says of new keys. */
export interface KeyPolicy {
  /** They expire within so many days; null: they need not. */
  maxDays: number | null;
  /** Whether the service knows where calls come from: not behind a proxy that is not configured as trusted. */
  canRestrictAddresses: boolean;
}

/** Of a call by a signed-in user of the account page. */
export type SessionContext = Context & { caller: SessionCaller };

export interface Context {
  caller: Caller;
  /** Of a call from the account page. */
  browser: () => Browser;
  requestId: string;
  /** The caller's true address. */
  address: string;
  /** Under an idempotency key: the same at each try of one write, so that a store makes it once. */
  writeId?: string | undefined;
  /**
   * Of a versioned operation, where the caller says which version it means to change: throws precondition_failed unless the
   * resource, as it is shown, is that one; null: there is none.
   */
  precondition?: ((current: object | null) => void) | undefined;
  /** When an earlier try of the write began that may have made it; null: there was none. */
  earlierTryAt?: Date | null | undefined;
  /** Under an idempotency key, of a response that may be stored: stores it in the write's own transaction. */
  storeResponse?: ((output: object, transaction: Transaction) => Promise<void>) | undefined;
  /** What the procedure notes in addition to its output. */
  outcome: Outcome;
  models: Models;
  panel: Panel;
  players: PlayersPort;
  clock: Clock;
  callLimit: CallLimit;
  accountLimits: AccountLimits;
  webhookAddresses: WebhookAddresses;
  /** The hosts from which servers may fetch files, in lower case; none: this is turned off. */
  fileSources: readonly string[];
  /** Null where no identity provider is configured. */
  singleSignOn: SingleSignOn | null;
  /** The scopes that keys can have. */
  offeredScopes: readonly Scope[];
  keyPolicy: KeyPolicy;
  /** Whether users may let apps act for them: whether the service is an authorization server. */
  hasApps: boolean;
  /** Whether users may sign in with a password. */
  hasPasswordSignIn: boolean;
  /** As users know the host. */
  hostName: string;
  /** What users read who cannot sign in: a sentence or an address; null: nothing. */
  signInHelp: string | null;
  /** The OpenAPI document of this router; generated in bridge/, which reads the procedures. */
  openApiDocument: (request: { version: '3.1' | '3.0'; baseUrl: string }) => Promise<{ openapi: string }>;
  /** What each operation of the API does, by its name; read in bridge/, too. */
  summaries: ReadonlyMap<string, string>;
  /**
   * Ends a wait: after so many seconds, with its client, when the service stops, and at the latest 25 seconds after the
   * request came.
   */
  endOfWait: (seconds: number) => AbortSignal;
  /** The absolute URL at which the client reaches the service, without a trailing slash. */
  baseUrl: () => string;
}
