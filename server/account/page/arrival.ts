/** What the address the page was opened with asks for: a sign-in link, or the end of a single sign-on. */

export type Arrival = { is: 'plain' } | { is: 'link'; token: string } | { is: 'callback'; query: string };

/** Read once and taken out of the address, so that neither the history nor a copied address has its secret. */
export function takeArrival(): Arrival {
  const { pathname, search, hash } = location;
  if (pathname === '/account/link' && hash.length > 1) return leave({ is: 'link', token: hash.slice(1) });
  if (pathname === '/account/callback' && search.length > 1) return leave({ is: 'callback', query: search });
  return { is: 'plain' };
}

function leave(arrival: Arrival): Arrival {
  history.replaceState(null, '', '/account');
  return arrival;
}
