/** Interfaces to the outside world, which server/ implements. */

/** Milliseconds since the epoch. A dependency, so that tests can move time. */
export type Clock = () => number;

export interface CallLimit {
  perMinute: number;
  callsLeft(keyId: string, perMinute?: number): Promise<number>;
  /** Counts the calls already made with the ended keys for the new key. */
  inherit(ended: readonly LimitedKey[], key: LimitedKey): Promise<void>;
}

export interface LimitedKey {
  _id: string;
  callsPerMinute?: number | null | undefined;
}

export interface WebhookAddresses {
  /** Resolves to the rule that the address breaks, such as "must be https", or to null. Looks up the host name. */
  refusalOf(url: string): Promise<string | null>;
}

/** Limits on attempts by users and visitors of the account page. They throw rate_limited, and hashing throws overloaded(). */
export interface AccountLimits {
  /** Failed sign-ins, counted per account and per address, even for accounts that do not exist. */
  signIn(origin: AttemptOrigin): PasswordAttempt;
  /** Wrong current passwords of a signed-in user. Failed sign-ins count separately, because any visitor can cause those. */
  passwordChange(userId: number): PasswordAttempt;
  /** Wrong second-factor codes from a user who has passed the first factor. A right code does not clear them. */
  secondFactor(userId: number): CountedAttempt;
  /** Links by mail that visitors request, counted per e-mail and network address, whether or not the account exists. */
  mailedLink(origin: AttemptOrigin): CountedAttempt;
  /** Links that the host mails, counted with those that visitors request for the same e-mail address. */
  invitation(email: string): CountedAttempt;
  newKey(userId: number): CountedAttempt;
  /** Per 24 hours. */
  newTicket(userId: number): CountedAttempt;
  countLeakReport(address: string): Promise<void>;
  requireHashingCapacity(): void;
  hashPassword<Result>(work: () => Promise<Result>): Promise<Result>;
}

interface AttemptOrigin {
  email: string;
  address: string;
}

export interface CountedAttempt {
  /** Call it before the attempt, so that concurrent attempts count too. If it throws rate_limited, it has not counted. */
  count(): Promise<void>;
  /** Undoes the count of an attempt that had no effect. */
  refund(): Promise<void>;
}

/** Counts as a failure until it succeeds. */
export interface PasswordAttempt extends CountedAttempt {
  /** Undoes the count of this attempt and of all failures before it. */
  succeed(): Promise<void>;
}

/** The host's own identity provider (OpenID Connect). It throws errors whose messages are meant for the user. */
export interface SingleSignOn {
  name: string;
  createsUsers: boolean;
  /**
   * Resolves to the URL to open in the browser, and the flow that the browser must present before `expiresAt`.
   * @param address the browser's network address; sign-ins are counted per address
   */
  start(redirectUri: string, address: string): Promise<BegunSignOn>;
  /** Each flow works once. */
  finish(callbackUrl: URL, flow: string): Promise<Identity>;
  /** Where the browser ends its session at the provider; null if the provider has no sign-out address. */
  signOutUrl(returnTo: string): Promise<string | null>;
}

interface BegunSignOn {
  url: string;
  /** The provider must send this value back. It also distinguishes several sign-ins in one browser. */
  state: string;
  flow: string;
  expiresAt: Date;
}

export interface Identity {
  issuer: string;
  subject: string;
  email: string | null;
  isEmailVerified: boolean;
  isStrong: boolean;
  /** When the user signed in at the provider, in milliseconds since the epoch; null if the provider does not state it. */
  authenticatedAt: number | null;
  firstName: string | null;
  lastName: string | null;
  nickname: string | null;
}
