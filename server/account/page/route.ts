/**
 * The address of the current view: `/account#name`, `/account#name/detail`, or a server's page, which has its own
 * path.
 */
import { useEffect, useState } from 'preact/hooks';

interface Route {
  name: string | null;
  /** The shown part of the section, such as the id of a ticket. */
  detail: string | null;
  /** The part of a server's page, and its detail. */
  partName: string | null;
  query: URLSearchParams;
}

const ofSection = /^#([a-z]+)(?:\/([\w-]{1,64})(?:\?.*)?)?$/;
const ofServer = /^\/account\/servers\/([\w-]{1,64})(?:\/([a-z]+))?$/;

/** Parts of a server's page whose address has changed. */
const renamedParts: Partial<Record<string, string>> = { timetables: 'schedules' };

type ServerAddressOptions = { partName?: string | null; query?: Record<string, string> };

export function serverAddress(identifier: string, { partName, query }: ServerAddressOptions = {}): string {
  const path = `/account/servers/${identifier}${partName ? `/${partName}` : ''}`;
  return query ? `${path}?${new URLSearchParams(query)}` : path;
}

/** The current address, to return to after a sign-in elsewhere. */
export const currentAddress = () =>
  ofServer.test(location.pathname) ? location.pathname + location.search : `/account${location.hash}`;

/** A section's address takes precedence over the path, as pages of servers also link to sections. */
function readRoute(): Route {
  const [, name, detail = null] = ofSection.exec(location.hash) ?? [];
  if (name === 'servers' && detail !== null) replaceAddress(serverAddress(detail));
  else if (name !== undefined) {
    if (location.pathname !== '/account') replaceAddress(`/account${location.hash}`);
    return { name, detail, partName: null, query: new URLSearchParams() };
  }
  const [, identifier = null, requestedPart = null] = ofServer.exec(location.pathname) ?? [];
  const partName = (requestedPart && renamedParts[requestedPart]) ?? requestedPart;
  if (identifier !== null && partName !== requestedPart)
    replaceAddress(serverAddress(identifier, { partName }));
  const query = new URLSearchParams(location.search);
  return { name: identifier && 'servers', detail: identifier, partName, query };
}

const replaceAddress = (address: string) => history.replaceState(history.state, '', address);

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const onChange = () => setRoute(readRoute());
    const events = ['popstate', 'hashchange'];
    for (const event of events) addEventListener(event, onChange);
    return () => {
      for (const event of events) removeEventListener(event, onChange);
    };
  }, []);
  return route;
}

export function go(address: string): void {
  history.pushState(null, '', address);
  dispatchEvent(new PopStateEvent('popstate'));
  scrollTo(0, 0);
}

export function useLinks(): void {
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || event.defaultPrevented || !isPlain(event)) return;
      if (isOfServer(link)) {
        event.preventDefault();
        go(link.href);
      } else if (link.hash && link.pathname === location.pathname) {
        // After the browser has kept the position of the view that the user leaves.
        setTimeout(() => scrollTo(0, 0));
      }
    };
    addEventListener('click', onClick);
    return () => removeEventListener('click', onClick);
  }, []);
}

/** Modified clicks open another tab or window, or download the target. */
const isPlain = ({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent) =>
  button === 0 && !(ctrlKey || metaKey || shiftKey || altKey);

const isOfServer = ({ origin, pathname, hash, target }: HTMLAnchorElement) =>
  origin === location.origin && ofServer.test(pathname) && hash === '' && target === '';
