/** Renewals that cannot succeed any more: some apps go on to try one without end, which must cost nothing. */
import { hashToken } from '../../models/support/secrets.ts';
import type { Limiter } from '../limit/limiter.ts';

export type EndedTokens = ReturnType<typeof createEndedTokens>;

/** The fields of a request for tokens. */
export interface TokenRequest {
  client_id?: unknown;
  refresh_token?: unknown;
}

/** Null for a request that renews nothing. */
const renewalOf = ({ client_id, refresh_token }: TokenRequest) =>
  typeof refresh_token === 'string' ? hashToken(`${client_id ?? ''} ${refresh_token}`) : null;

export function createEndedTokens(limiter: Limiter) {
  const window = { name: 'oauth:ended', max: 1, seconds: 60 * 60 };
  return {
    async has(request: TokenRequest): Promise<boolean> {
      const renewal = renewalOf(request);
      return renewal !== null && (await limiter.consume(window, renewal, 0)).left === 0;
    },
    async add(request: TokenRequest): Promise<void> {
      const renewal = renewalOf(request);
      if (renewal !== null) await limiter.consume(window, renewal, 1);
    },
  };
}
