/** Refresh tokens that were found to have ended: some apps go on to try one without end, which must cost nobody anything. */
import { hashToken } from '../../models/support/secrets.ts';
import type { Limiter } from '../limit/limiter.ts';

export type EndedTokens = ReturnType<typeof createEndedTokens>;

export function createEndedTokens(limiter: Limiter) {
  const window = { name: 'oauth:ended', max: 1, seconds: 60 * 60 };
  return {
    async has(token: string): Promise<boolean> {
      return (await limiter.consume(window, hashToken(token), 0)).left === 0;
    },
    async add(token: string): Promise<void> {
      await limiter.consume(window, hashToken(token), 1);
    },
  };
}
