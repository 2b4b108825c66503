/** The sign-ins that the command keeps: one for each host, and which host is the current one. */
import { join } from 'node:path';
import { configFolder, readKept, withLock, writeKept } from './kept-files.ts';

export interface SignIn {
  /** A key, or an access token. */
  token: string;
  /** For an access token that can be renewed. */
  grant?: Grant | undefined;
}

export interface Grant {
  issuer: string;
  clientId: string;
  refreshToken: string;
  expiresAt: number;
}

interface SignIns {
  /** The host of the last sign-in. */
  current: string | null;
  hosts: Record<string, SignIn>;
}

const filePath = () => join(configFolder(), 'sign-ins.json');

export const readSignIns = async (): Promise<SignIns> => ({
  ...{ current: null, hosts: {} },
  ...(await readKept<Partial<SignIns>>(filePath())),
});

async function changeSignIns(change: (kept: SignIns) => void | Promise<void>): Promise<SignIns> {
  return withLock(filePath(), async () => {
    const kept = await readSignIns();
    await change(kept);
    await writeKept(filePath(), kept);
    return kept;
  });
}

export const keepSignIn = (url: string, signIn: SignIn) =>
  changeSignIns((kept) => {
    kept.current = url;
    kept.hosts[url] = signIn;
  });

export const forgetSignIn = (url: string) =>
  changeSignIns(({ hosts }) => {
    delete hosts[url];
  });

/**
 * Resolves to the key or a valid access token of a host, or to null without a sign-in.
 * @param refused an access token that the host did not accept
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

/** The OAuth library is loaded only where it is needed, so that other commands start faster. */
async function renew(url: string, grant: Grant): Promise<SignIn> {
  const { renewGrant } = await import('./oauth.ts');
  return renewGrant(url, grant);
}
