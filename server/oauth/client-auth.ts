/** How apps prove at the token endpoint who they are: not at all, by a secret, or by an assertion that their own key signed. */
import type { Provider } from 'oidc-provider';
import { hashToken } from '../../models/support/secrets.ts';

export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

/**
 * Makes the library take secrets, of which only hashes are stored, and the assertion of an app that offers both that and no
 * authentication: it verifies what is sent.
 */
export function adaptClientAuth({ Client }: Provider, paramsOfRequest: () => object | undefined): void {
  Client.prototype.compareClientSecret = function compareClientSecret(actual: string) {
    return this.clientSecret !== undefined && this.clientSecret === hashToken(actual);
  };
  Object.defineProperty(Client.prototype, 'clientAuthMethod', {
    get(this: InstanceType<typeof Client>) {
      const { tokenEndpointAuthMethod: method, jwks, jwksUri } = this;
      const isAsserted = method === 'none' && (jwks ?? jwksUri) && hasAssertion(paramsOfRequest());
      return isAsserted ? 'private_key_jwt' : method;
    },
  });
}

const hasAssertion = (params: { client_assertion?: unknown } = {}) => params.client_assertion !== undefined;
