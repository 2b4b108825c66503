/** Sign-in settings: passwords on or off, and the host's identity provider. */
import { z } from 'zod';
import { isLoopback } from '../loopback.ts';
import { flag, secret } from '../setting-types.ts';

const isIssuer = (url: string) =>
  URL.canParse(url) &&
  (url.startsWith('https://') || (url.startsWith('http://') && isLoopback(new URL(url))));

export const signInSettings = {
  PASSWORD_SIGN_IN: flag.default(true).describe('false turns off signing in with a password'),
  SIGN_IN_HELP: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .optional()
    .describe('A sentence or an address for users who cannot sign in'),
  OIDC_ISSUER: z
    .string()
    .refine(isIssuer, 'must be an https URL; plain http is allowed only for this machine')
    .optional()
    .describe('The identity provider for single sign-on'),
  OIDC_CLIENT_ID: z.string().optional().describe('The id of the client that is registered at the provider'),
  OIDC_CLIENT_SECRET: secret(z.string().optional(), 'The secret of that client'),
  OIDC_NAME: z.string().max(40).default('single sign-on').describe("The provider's name on the button"),
  OIDC_CREATE_USERS: flag
    .default(false)
    .describe('Creates a user at the first sign-in with a verified address that no user has'),
  OIDC_STRONG: flag
    .default(false)
    .describe('The provider requires a second factor of everyone, even if its tokens (amr) do not say so'),
  STAFF_SECOND_FACTOR: flag
    .default(false)
    .describe('Administrators and support need a second factor on the account page'),
};

type SignInSettings = z.infer<z.ZodObject<typeof signInSettings>>;

export const readSignInSettings = (env: SignInSettings & { SUPPORT_EMAIL?: string | undefined }) => ({
  hasPasswordSignIn: env.PASSWORD_SIGN_IN,
  staffNeedsSecondFactor: env.STAFF_SECOND_FACTOR,
  signInHelp: env.SIGN_IN_HELP ?? (env.SUPPORT_EMAIL ? `mailto:${env.SUPPORT_EMAIL}` : null),
  identityProvider: identityProviderOf(env),
});

const identityProviderOf = (env: SignInSettings) =>
  env.OIDC_ISSUER && env.OIDC_CLIENT_ID && env.OIDC_CLIENT_SECRET
    ? {
        issuer: env.OIDC_ISSUER,
        clientId: env.OIDC_CLIENT_ID,
        clientSecret: env.OIDC_CLIENT_SECRET,
        name: env.OIDC_NAME,
        createsUsers: env.OIDC_CREATE_USERS,
        isStrong: env.OIDC_STRONG,
      }
    : null;

type Keys = { MONGODB_URI?: string | undefined; SECRETS_KEY?: unknown };

export function missingSignInSettings(env: SignInSettings & Keys): string[] {
  const ofClient = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;
  if (env.OIDC_ISSUER)
    return ofClient.filter((name) => !env[name]).map((name) => `${name} is required with OIDC_ISSUER`);
  // Without a provider or a key, staff could not show any second factor.
  const isKeyMissing = env.STAFF_SECOND_FACTOR && env.MONGODB_URI && !env.SECRETS_KEY;
  return isKeyMissing ? ['SECRETS_KEY is required with STAFF_SECOND_FACTOR'] : [];
}
