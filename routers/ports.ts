/** The outside world as procedures need it, as interfaces that server/ implements. */

/** Milliseconds since the epoch. A dependency, so that tests can move time. */
export type Clock = () => number;

/** The limit of calls a minute, which each key has for itself. */
export interface CallLimit {
  perMinute: number;
  /** How many calls a key has left in the current minute. */
  callsLeft(keyId: string, perMinute?: number): Promise<number>;
  /** Counts the calls spent with ended keys as calls of the key that follows them. */
  inherit(ended: readonly LimitedKey[], key: LimitedKey): Promise<void>;
}

export interface LimitedKey {
  _id: string;
  /** The key's own limit; without it, the service's. */
  callsPerMinute?: number | null | undefined;
}

/** Which addresses webhooks may be sent to. */
export interface WebhookAddresses {
  /** Why an address may not be called, as in "url must be https"; null for one that may. Looks its host up. */
  refusalOf(url: string): Promise<string | null>;
}

/** What users and visitors may attempt on the account page. Refusals are thrown. */
export interface AccountLimits {
  /** Failed sign-ins, counted per account and per address; the same for accounts that do not exist. */
  signIn(origin: AttemptOrigin): PasswordAttempt;
  /** Wrong current passwords of a signed-in user, counted apart from sign-ins, which a visitor can fail. */
  passwordChange(userId: number): PasswordAttempt;
  /** Wrong codes in place of a second factor, of who has given the first one; those before a right one stay counted. */
  secondFactor(userId: number): CountedAttempt;
  /** A link by mail that a visitor asks for, counted per address of either kind, whether the account exists or not. */
  mailedLink(origin: AttemptOrigin): CountedAttempt;
  /** A link that the host mails, counted with those that are asked for at the address. */
  invitation(email: string): CountedAttempt;
  /** A key to be created or rotated. */
  newKey(userId: number): CountedAttempt;
  /** A ticket that a user opens, of those of 24 hours. */
  newTicket(userId: number): CountedAttempt;
  /** Counts a report of leaked keys and tokens. */
  countLeakReport(address: string): Promise<void>;
  /** Throws overloaded() when the queue of password hashing is full. */
  requireHashingCapacity(): void;
  /** Runs the hashing of a password, a few at once; throws overloaded() when the queue is full. */
  hashPassword<Result>(work: () => Promise<Result>): Promise<Result>;
}

interface AttemptOrigin {
  email: string;
  address: string;
}

export interface CountedAttempt {
  /** Before it is made: concurrent attempts count too. Throws rate_limited, and counts nothing then. */
  count(): Promise<void>;
  /** Takes it back, as nothing came of it. */
  refund(): Promise<void>;
}

/** One attempt at a password, which counts as a failure. */
export interface PasswordAttempt extends CountedAttempt {
  /** Takes it back with all failures before, as the password was right. */
  succeed(): Promise<void>;
}

/** The host's own identity provider (OpenID Connect). Failures are thrown in words for the user. */
export interface SingleSignOn {
  /** Shown on the button. */
  name: string;
  /** Whether an unknown account at the provider gets a user here. */
  createsUsers: boolean;
  /**
   * Begins a sign-in: where to send the browser, and what the browser must present at the end, before `expiresAt`.
   * @param address the browser's, whose sign-ins are counted
   */
  start(redirectUri: string, address: string): Promise<BegunSignOn>;
  /**
   * Verifies the provider's answer, once for each flow.
   * @param callbackUrl the address the provider sent the browser to, with its query
   * @param flow as `start` returned it
   */
  finish(callbackUrl: URL, flow: string): Promise<Identity>;
  /** Where the browser ends its session at the provider; null where the provider offers no such address. */
  signOutUrl(returnTo: string): Promise<string | null>;
}

interface BegunSignOn {
  url: string;
  /** What the provider must repeat, which also tells the sign-ins of a browser apart. */
  state: string;
  flow: string;
  expiresAt: Date;
}

/** An account at the identity provider. */
export interface Identity {
  issuer: string;
  subject: string;
  /** As the provider writes it. */
  email: string | null;
  isEmailVerified: boolean;
  /** Whether a second factor was shown there. */
  isStrong: boolean;
  /** When the account signed in there, in milliseconds since the epoch; null where the provider does not say. */
  authenticatedAt: number | null;
  firstName: string | null;
  lastName: string | null;
  nickname: string | null;
}
