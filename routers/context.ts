/** A procedure's context: the caller, the stores, and the outside world as ports. */
import type { Models } from '../models/index.ts';
import type { Caller, SessionCaller } from './caller.ts';
import type { Panel } from './panel-port.ts';
import type { PlayersPort } from './players-port.ts';
import type { AccountLimits, CallLimit, Clock, SingleSignOn, WebhookAddresses } from './ports.ts';
import type { SamplesPort } from './samples-port.ts';
import type { Scope } from './scopes.ts';

export type Transaction = Parameters<Parameters<Models['transaction']>[0]>[0];

export interface Browser {
  setToken(token: string, expiresAt: Date): void;
  clearToken(): void;
  /** The service's own address as the browser sees it, without a path. */
  origin: string;
  /** The host name to which passkeys are bound; null if the service's address has none, so there are no passkeys. */
  relyingPartyId: string | null;
  /** For example "Firefox on Windows"; null if unknown. */
  device: string | null;
  /** Pending single sign-ons by their state. Each tab may have one. */
  flows: {
    /** Returns the flow stored in the browser, or an empty string. */
    read(state: string): string;
    keep(state: string, flow: string, expiresAt: Date): void;
    drop(state: string): void;
  };
}

/** Facts about a call beyond its output. If the call has an idempotency key, they are stored with the output. */
export interface Outcome {
  /** Whether the write created its resource. The status is then 201 instead of 200. */
  isCreated?: boolean;
  ownerId?: number;
  /** The part of the target that the call was about, such as the path of a file. */
  detail?: string;
  /** The user of an attempted sign-in; null if there is no such user. */
  userId?: number | null;
  /** Whether an earlier call with the same idempotency key had this outcome. */
  isReplayed?: boolean;
}

export interface KeyPolicy {
  /** New keys must expire within this many days; null: no limit. */
  maxDays: number | null;
  /** Whether the service knows where calls come from: false behind a proxy that is not configured as trusted. */
  canRestrictAddresses: boolean;
}

export type SessionContext = Context & { caller: SessionCaller };

export interface Context {
  caller: Caller;
  browser: () => Browser;
  requestId: string;
  /** The caller's own network address, not that of a trusted proxy. */
  address: string;
  /** Set if the request has an idempotency key. All tries of a write share this id, so that a store makes it only once. */
  writeId?: string | undefined;
  /**
   * Set for a versioned operation if the caller names the version to change. Throws precondition_failed unless `current`,
   * the resource as callers see it, is that version. `current` is null if there is no resource.
   */
  precondition?: ((current: object | null) => void) | undefined;
  /** When an earlier try of this write began that may have succeeded; null: there was none. */
  earlierTryAt?: Date | null | undefined;
  /**
   * Stores the response in the write's transaction. Undefined without an idempotency key, or if no response may be stored.
   */
  storeResponse?: ((output: object, transaction: Transaction) => Promise<void>) | undefined;
  outcome: Outcome;
  models: Models;
  panel: Panel;
  players: PlayersPort;
  samples: SamplesPort;
  clock: Clock;
  callLimit: CallLimit;
  accountLimits: AccountLimits;
  webhookAddresses: WebhookAddresses;
  /** The hosts from which servers may fetch files, in lower case; empty if fetching is turned off. */
  fileSources: readonly string[];
  singleSignOn: SingleSignOn | null;
  offeredScopes: readonly Scope[];
  keyPolicy: KeyPolicy;
  /** Whether the service is an authorization server, so that users may let apps act for them. */
  hasApps: boolean;
  hasPasswordSignIn: boolean;
  hostName: string;
  /** A sentence or an address for users who cannot sign in; null if there is none. */
  signInHelp: string | null;
  /** Comes from bridge/, which reads the procedures. */
  openApiDocument: (request: { version: '3.1' | '3.0'; baseUrl: string }) => Promise<{ openapi: string }>;
  /** Aborts after this many seconds, on disconnect or shutdown, and at the latest 25 seconds after the request arrived. */
  endOfWait: (seconds: number) => AbortSignal;
  /** The absolute URL at which the client reaches the service, without a trailing slash. */
  baseUrl: () => string;
}
