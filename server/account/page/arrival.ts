/** What the address the page was opened with asks for: a sign-in link, the end of a single sign-on, an app's request, or a new key. */
import { connectPath, keepRequest, readRequestId, recallRequest } from './apps/pending-request.ts';
import { takeDestination } from './destination.ts';
import { hashOf } from './keys/key-link.ts';

export type Arrival = { is: 'plain' } | { is: 'link'; token: string } | { is: 'callback'; query: string };

/** Read once and taken out of the address, so that neither the history nor a copied address has its secret. */
export function takeArrival(): Arrival {
  const { pathname, search, hash } = location;
  if (pathname === '/account/keys/new') history.replaceState(null, '', `/account${hashOf(location)}`);
  const requestId = readRequestId(location);
  if (requestId) keepRequest(requestId);
  if (/^\/account\/link(?!\w)/.test(pathname)) return leave({ is: 'link', token: hash.slice(1) });
  if (pathname === '/account/callback' && search.length > 1) return leave({ is: 'callback', query: search });
  return { is: 'plain' };
}

/** To the request of an app, where one waits for the user to sign in, or to where a link led before. */
function leave(arrival: Arrival): Arrival {
  const requestId = recallRequest();
  const destination = takeDestination();
  history.replaceState(null, '', requestId === null ? destination : `${connectPath}#${requestId}`);
  return arrival;
}
