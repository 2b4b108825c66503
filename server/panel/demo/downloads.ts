/** Links of a node to files and backups, which work once and not for long. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../routers/ports.ts';

const linkLifetimeSeconds = 900;
const linksMax = 100;

export type Downloads = ReturnType<typeof createDownloads>;

export function createDownloads(clock: Clock) {
  /** What each token admits to. */
  const unused = new Map<string, string>();
  return {
    /** @param what such as the uuid of a backup */
    admit(what: string): string {
      // In the form of a JSON Web Token, whose end of life the service reads.
      const exp = Math.floor(clock() / 1000) + linkLifetimeSeconds;
      const token = `demo.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.${randomUUID()}`;
      unused.set(token, what);
      for (const oldest of unused.keys()) if (unused.size > linksMax) unused.delete(oldest);
      return token;
    },
    /** What it admits to, now and never again. */
    use(token: string): string | undefined {
      const what = unused.get(token);
      unused.delete(token);
      return what;
    },
  };
}
