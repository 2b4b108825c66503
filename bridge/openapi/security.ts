/** How callers authenticate: with a key in either of two headers, or with an app's access token where apps can sign in. */
import { appGrantableScopes, isAdminScope, type Scope, scopeSentences } from '../../routers/scopes.ts';
import type { Operation } from '../operations.ts';

/** The addresses of the authorization server, absolute. */
export interface OAuthUrls {
  authorizationUrl: string;
  tokenUrl: string;
  refreshUrl: string;
}

export const keySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key in `Authorization: Bearer`. Recommended.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key in `X-API-Key`.',
  },
} as const;

export const describeSchemes = (oauth: OAuthUrls | null, usedScopes: readonly Scope[]) => ({
  ...keySchemes,
  ...(oauth && {
    oauth2: {
      type: 'oauth2',
      description:
        'An access token of an app in `Authorization: Bearer`. Sign in by the authorization code flow with PKCE (S256); ' +
        'apps register dynamically or by a metadata document.',
      flows: {
        authorizationCode: {
          ...oauth,
          scopes: {
            ...Object.fromEntries(appGrantableScopes(usedScopes).map((name) => [name, scopeSentences[name]])),
            offline_access: 'Renew the access without asking the user again.',
          },
        },
      },
    } as const,
  }),
});

/** Any one of these is enough. */
export function describeSecurity({ scope }: Operation, hasApps: boolean): Record<string, string[]>[] {
  if (scope === null) return [];
  const isForApps = hasApps && (scope === 'any' || !isAdminScope(scope));
  return [{ bearer: [] }, { apiKey: [] }, ...(isForApps ? [{ oauth2: scope === 'any' ? [] : [scope] }] : [])];
}
