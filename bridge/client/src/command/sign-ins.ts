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

/** Waits for other processes that change them, so that `change` gets what those kept. */
export const changeSignIns = (change: (kept: SignIns) => void | Promise<void>): Promise<SignIns> =>
  withLock(filePath(), async () => {
    const kept = await readSignIns();
    await change(kept);
    await writeKept(filePath(), kept);
    return kept;
  });
