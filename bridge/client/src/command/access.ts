/** The key or access token that commands send to a host, renewed in time. */
import { changeSignIns, type Grant, readSignIns, type SignIn } from './sign-ins.ts';

/**
 * Resolves to null without a sign-in.
 * @param refused an access token that the host did not accept
 * @throws {NotSignedInError} when the sign-in ended
 */
export async function readToken(url: string, refused?: string): Promise<string | null> {
  let { hosts } = await readSignIns();
  if (mustRenew(hosts[url], refused)) {
    ({ hosts } = await changeSignIns(async (kept) => {
      const signIn = kept.hosts[url];
      // A refresh token works once, and another process may have used it meanwhile.
      if (mustRenew(signIn, refused)) kept.hosts[url] = await renew(url, signIn.grant);
    }));
  }
  return hosts[url]?.token ?? null;
}

const earlyMs = 60_000;

const mustRenew = (signIn: SignIn | undefined, refused?: string): signIn is SignIn & { grant: Grant } =>
  signIn?.grant !== undefined && (signIn.token === refused || signIn.grant.expiresAt - earlyMs < Date.now());

/** Loads the OAuth library only here, so that other commands start faster. */
async function renew(url: string, grant: Grant): Promise<SignIn> {
  const { renewGrant } = await import('./oauth.ts');
  return renewGrant(url, grant);
}
