/** Turns apps' requests into the form that the OAuth library accepts, and refuses some requests that the library would accept. */
import {
  type ParsedUrlQuery as Params,
  parse as parseForm,
  stringify as stringifyForm,
} from 'node:querystring';
import { isJsonObject, readJson } from '../../bridge/json.ts';
import type { AdmittedRequest, RequestContext } from '../../bridge/protocol.ts';
import { visitorBodyBytesMax } from '../../models/bounds.ts';
import { badRequest } from '../../routers/errors.ts';
import { defaultScopes } from '../../routers/scopes.ts';
import { acceptMetadata, clientIdOf, withPath } from './client-metadata.ts';
import { resourcesOf } from './documents.ts';

export function createAccept(issuer: string, scopes: readonly string[]) {
  const known = { resource: issuer, resources: resourcesOf(issuer), scopes };
  return {
    authorization({ ctx }: AdmittedRequest): void {
      ctx.query = acceptAuthorization(ctx.query, known);
    },
    token: (request: AdmittedRequest) => replaceForm(request, (params) => acceptTokenRequest(params, known)),
    form: (request: AdmittedRequest) => replaceForm(request, (params) => params),
    /** Resolves to the client_id that this registration always gets, or to null if the library creates one. */
    async registration(request: AdmittedRequest): Promise<string | null> {
      if (!isPost(request)) return null;
      const body = await readJson(request, { bytesMax: visitorBodyBytesMax });
      if (!isJsonObject(body)) throw badRequest('The body must be a JSON object');
      const metadata = acceptMetadata(body);
      replaceBody(request.ctx, JSON.stringify(metadata));
      return clientIdOf(metadata);
    },
  };
}

const isPost = ({ ctx }: AdmittedRequest) => ctx.state.request.method === 'POST';

async function replaceForm(request: AdmittedRequest, accept: (params: Params) => Params) {
  if (isPost(request)) replaceBody(request.ctx, stringifyForm(accept(await readForm(request))));
}

async function readForm({ ctx, admission }: AdmittedRequest) {
  if (!ctx.is('application/x-www-form-urlencoded'))
    throw badRequest('Content-Type must be application/x-www-form-urlencoded');
  return parseForm((await admission.receiveBody(ctx.req, visitorBodyBytesMax)).toString());
}

/** Apps send these parameters with the scope `openid`. We drop that scope, and the library refuses them without it. */
const openIdParameters = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

interface ApiNames {
  resource: string;
  resources: readonly string[];
  scopes: readonly string[];
}

/**
 * The user decides every time, so `prompt` matters only if it is "none".
 * @throws bad_request for a `response_mode` other than `query`, because the library would send errors in that mode
 */
function acceptAuthorization({ prompt, ...params }: Params, known: ApiNames): Params {
  const { response_mode: mode = 'query' } = params;
  if (mode !== 'query') throw badRequest('response_mode must be query');
  const others = Object.entries(params).filter(([name]) => !openIdParameters.includes(name));
  const scopes = knownScopes(params['scope'], known) ?? defaultScopes;
  return {
    ...Object.fromEntries(others),
    ...(prompt === 'none' && { prompt }),
    ...acceptRedirect(params),
    scope: scopes.join(' '),
    resource: acceptResource(params['resource'], known),
  };
}

function acceptTokenRequest({ scope, resource, ...params }: Params, known: ApiNames): Params {
  const scopes = knownScopes(scope, known);
  return {
    ...params,
    ...acceptRedirect(params),
    ...(scopes && { scope: scopes.join(' ') }),
    ...(resource !== undefined && { resource: acceptResource(resource, known) }),
  };
}

const acceptRedirect = ({ redirect_uri: redirect }: Params): Params =>
  typeof redirect === 'string' ? { redirect_uri: withPath(redirect) } : {};

function knownScopes(requested: string | string[] | undefined, { scopes }: ApiNames): string[] | null {
  const names = typeof requested === 'string' ? requested.split(' ') : [];
  const kept = scopes.filter((scope) => names.includes(scope));
  return kept.length > 0 ? kept : null;
}

/** Passes on an unknown resource, which the library refuses. */
function acceptResource(requested: string | string[] | undefined, { resource, resources }: ApiNames) {
  const named = [requested ?? resource].flat();
  return named.every((name) => resources.includes(name)) ? resource : requested;
}

/** The library builds addresses from the request's host, and a request could name any host. */
export function pinOrigin({ request, cookies }: RequestContext, issuer: string): void {
  const { protocol, host } = new URL(issuer);
  request.url = request.path + request.search; // the client may have sent an absolute address
  const pinned = { protocol: protocol.slice(0, -1), host, origin: issuer, href: `${issuer}${request.url}` };
  for (const [name, value] of Object.entries(pinned)) Object.defineProperty(request, name, { value });
  cookies.secure = protocol === 'https:';
}

function replaceBody({ req }: RequestContext, body: string): void {
  const bytes = Buffer.from(body);
  delete req.headers['transfer-encoding'];
  req.headers['content-length'] = String(bytes.length);
  Object.defineProperties(req, {
    readable: { value: true, configurable: true },
    iterator: { value: () => [bytes], configurable: true },
  });
}
