/**
 * The metadata of an app, from its registration or from its document, as the authorization server takes it: what is needed
 * and nothing else, bounded, and with the type that lets a program on the user's device choose its port.
 */
import { badRequest } from '../../routers/errors.ts';
import { isLoopback } from '../account/settings.ts';

type Metadata = Record<string, unknown>;

const redirectsMax = 10;
const redirectLengthMax = 500;
const nameLengthMax = 100;

/** @throws bad_request for too many or unsafe redirect addresses */
export function acceptMetadata({
  redirect_uris,
  client_name,
  token_endpoint_auth_method,
}: Metadata): Metadata {
  const redirects = acceptRedirects(redirect_uris);
  return {
    redirect_uris: redirects,
    application_type: redirects.some(isOfDevice) ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    response_modes: ['query'],
    ...(typeof client_name === 'string' && { client_name: nameOf(client_name) }),
    ...(typeof token_endpoint_auth_method === 'string' && { token_endpoint_auth_method }),
  };
}

/** Schemes that browsers and systems handle themselves: no app on the device would receive the answer. */
const unsafeSchemes: ReadonlySet<string> = new Set(
  'about blob data file filesystem ftp intent javascript mailto vbscript view-source ws wss'
    .split(' ')
    .map((scheme) => `${scheme}:`),
);

function acceptRedirects(redirects: unknown): string[] {
  if (!Array.isArray(redirects) || redirects.length === 0)
    throw badRequest('redirect_uris must contain members');
  if (redirects.length > redirectsMax)
    throw badRequest(`redirect_uris must have at most ${redirectsMax} members`);
  return redirects.map(acceptRedirect);
}

function acceptRedirect(redirect: unknown): string {
  if (typeof redirect !== 'string' || redirect.length > redirectLengthMax || !URL.canParse(redirect))
    throw badRequest('redirect_uris must only contain valid uris');
  const url = new URL(redirect);
  if (url.protocol === 'http:' && !isLoopback(url))
    throw badRequest('redirect_uris must use https outside of the loopback interface');
  if (unsafeSchemes.has(url.protocol)) throw badRequest(`redirect_uris must not use ${url.protocol}`);
  if (url.username || url.password) throw badRequest('redirect_uris must not have credentials');
  return redirect;
}

/** Loopback, or a scheme that the device gives to an app. */
export const isOfDevice = (redirect: string) => new URL(redirect).protocol !== 'https:';

/** On one line, without characters that reorder the text around them, and none that show nothing: U+2800 is a blank letter. */
const nameOf = (name: string) => {
  const shown = name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\s\u2800]+/gu, ' ').trim();
  return [...shown].slice(0, nameLengthMax).join('') || 'Unnamed app';
};
