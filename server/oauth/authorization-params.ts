/** What apps ask for, as the authorization server's library takes it: one resource, known scopes, nothing of OpenID Connect. */
import { badRequest } from '../../routers/errors.ts';
import { defaultScopes } from '../../routers/scopes.ts';

type Params = Record<string, string | string[] | undefined>;

/** Apps send these with `openid`, which is dropped; without it they would be refused. */
const ofOpenIdConnect = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

interface Known {
  /** The name of the API. */
  resource: string;
  /** Its other names, and this one. */
  resources: readonly string[];
  scopes: readonly string[];
}

/**
 * Of /authorize. The user is asked every time, so that `prompt` says nothing but "none".
 *
 * @throws bad_request for an answer that is not a redirect with a query: the library would send its error in the form asked for
 */
export function acceptAuthorization({ prompt, ...params }: Params, known: Known): Params {
  const { response_mode: mode = 'query' } = params;
  if (mode !== 'query') throw badRequest('response_mode must be query');
  const others = Object.entries(params).filter(([name]) => !ofOpenIdConnect.includes(name));
  const scopes = knownScopes(params['scope'], known) ?? defaultScopes;
  return {
    ...Object.fromEntries(others),
    ...(prompt === 'none' && { prompt }),
    scope: scopes.join(' '),
    resource: acceptResource(params['resource'], known),
  };
}

/** Of /token. */
export function acceptTokenRequest({ scope, resource, ...params }: Params, known: Known): Params {
  const scopes = knownScopes(scope, known);
  return {
    ...params,
    ...(scopes && { scope: scopes.join(' ') }),
    ...(resource !== undefined && { resource: acceptResource(resource, known) }),
  };
}

/** Null when none is asked for. */
function knownScopes(asked: string | string[] | undefined, { scopes }: Known): string[] | null {
  const names = typeof asked === 'string' ? asked.split(' ') : [];
  const kept = scopes.filter((scope) => names.includes(scope));
  return kept.length > 0 ? kept : null;
}

/** An unknown one stays, and is refused. */
function acceptResource(asked: string | string[] | undefined, { resource, resources }: Known) {
  const named = [asked ?? resource].flat();
  return named.every((name) => resources.includes(name)) ? resource : asked;
}
