/** Users with second factors, and their codes and passkeys. */
import { Secret, TOTP } from 'otpauth';
import type { UserRecord } from '../../models/user.ts';
import { type Account, openAccount, signInAccount } from './account.ts';
import { createAuthenticator } from './authenticator.ts';
import { type Answer, startTestService, type TestService } from './service.ts';

export const stepMs = 30_000;

type Service = Pick<TestService, 'url' | 'clock' | 'addUser'>;

/** The page at an address with a host name, which passkeys need. */
export const namedUrl = ({ url }: Pick<TestService, 'url'>) => url.replace('127.0.0.1', 'localhost');

export const startAtHostName = async (config = {}) => {
  const service = await startTestService({ config, rateLimitPerMinute: 1_000_000 });
  return { ...service, url: namedUrl(service) };
};

/** The code that an authenticator app shows, some steps before or after the service's clock. */
export const codeOf = ({ clock }: Pick<TestService, 'clock'>, secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() + steps * stepMs });

/** Adds an authenticator app in a session. The code that it was added with is spent. */
export async function addAuthenticatorApp(service: Service, { api }: Account, name = 'Phone') {
  const { token, secret } = await api.factors.beginAuthenticatorApp.mutate();
  const code = codeOf(service, secret);
  const { recovery_codes } = await api.factors.addAuthenticatorApp.mutate({ name, token, code });
  return { secret, recoveryCodes: recovery_codes, token, code };
}

export async function storeAuthenticatorApp(
  { models }: Pick<TestService, 'models'>,
  userId: number,
  name: string,
) {
  const of = { id: `${name}-id`, name, secret: `${name}-secret` };
  const app = { ...of, kind: 'app', createdAt: new Date(), lastUsedAt: null } as const;
  const codes = await models.transaction((session) =>
    models.secondFactors.add(userId, { ...app, spent: [] }, session),
  );
  return { id: app.id, codes };
}

/** A user with an authenticator app, whose next code is a new one, and the session in which it was added. */
export async function addAppUser(service: Service, profile: Parameters<TestService['addUser']>[0] = {}) {
  const user = await service.addUser(profile);
  const account = await signInAccount(service.url, user);
  const app = await addAuthenticatorApp(service, account);
  service.clock.advance(2 * stepMs);
  return { user, account, ...app };
}

/** Lets time pass as if the user's sessions were in continuous use: a session's last use is stored late or not at all. */
export async function passTimeInUse(
  { clock, connection }: Pick<TestService, 'clock' | 'connection'>,
  user: Pick<UserRecord, '_id'>,
  ms: number,
): Promise<void> {
  clock.advance(ms);
  const used = { $set: { lastSeenAt: new Date(clock.now()) } };
  await connection.collection('sessions').updateMany({ userId: user._id }, used);
}

/** A browser in which the user has given the password. */
export async function givePassword(service: Service, { email }: Pick<UserRecord, 'email'>): Promise<Account> {
  const account = openAccount(service.url);
  await account.api.session.signIn.mutate({ email, password: 'correct horse' });
  return account;
}

/** Adds a passkey in a session at this address. */
export async function addPasskey(url: string, { api }: Account) {
  const authenticator = createAuthenticator(url);
  const { options } = await api.factors.beginPasskey.mutate();
  const added = { name: 'Laptop', passkey: authenticator.create(options) };
  const { recovery_codes } = await api.factors.addPasskey.mutate(added as never);
  return { authenticator, recoveryCodes: recovery_codes };
}

/** A user with a passkey, the session in which it was added, and the authenticator. */
export async function addPasskeyUser(service: Service, profile: Parameters<TestService['addUser']>[0] = {}) {
  const user = await service.addUser(profile);
  const account = await signInAccount(namedUrl(service), user);
  return { user, account, ...(await addPasskey(namedUrl(service), account)) };
}

export const signedInEmailOf = async ({ api }: Account): Promise<string | null> =>
  (await api.session.current.query()).user?.email ?? null;

export const outcomeOf = ({ status, body }: Answer): [number, string | undefined] => [
  status,
  body.error?.message,
];
