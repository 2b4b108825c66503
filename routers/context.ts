/** What a procedure is called with: who calls, the stores, and the outside world as ports. */
import type { Models } from '../models/index.ts';
import type { UserRecord } from '../models/user.ts';
import type { KeyRefusal } from './errors.ts';
import type { CallLimit, Clock, Panel, SignInThrottle } from './ports.ts';
import type { Scope } from './scopes.ts';

/** The owner of a verified key, and what the key may do now. */
export interface Caller {
  userId: number;
  keyId: string;
  scopes: readonly Scope[];
}

/** Who is signed in to the account page. */
export interface Session {
  id: string;
  user: UserRecord;
}

/** The browser that shows the account page. */
export interface Browser {
  /** Its true address. */
  address: string;
  /** Gives it the token of a session, to be sent with every request until `expiresAt`. */
  keepToken(token: string, expiresAt: Date): void;
  dropToken(): void;
}

export interface Context {
  caller: Caller | null;
  /** Why there is no caller. */
  keyRefusal: KeyRefusal;
  /** Null where nobody is signed in, and at the doors that take keys. */
  session: Session | null;
  /** Null at the doors that take keys. */
  browser: Browser | null;
  requestId: string;
  /** Under an idempotency key: the same at each try of one write, so that a store makes it once. */
  writeId?: string | undefined;
  models: Models;
  panel: Panel;
  clock: Clock;
  callLimit: CallLimit;
  signInThrottle: SignInThrottle;
  /** The OpenAPI document of this very router; made in bridge/, which reads the procedures. */
  openApiDocument: () => Promise<{ openapi: string }>;
}
