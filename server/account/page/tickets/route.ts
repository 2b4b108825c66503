/** The section of the page, kept in the address: #apps, #tickets, #tickets/7, #support, #support/7. */
import { useEffect, useState } from 'preact/hooks';

export type Section = 'keys' | 'apps' | 'tickets' | 'support';

export interface Route {
  section: Section;
  ticketId: number | null;
}

const pattern = /^#(tickets|support)(?:\/([1-9]\d{0,14}))?$/;

function readRoute(): Route {
  if (location.hash === '#apps') return { section: 'apps', ticketId: null };
  const [, section, id] = pattern.exec(location.hash) ?? [];
  if (section !== 'tickets' && section !== 'support') return { section: 'keys', ticketId: null };
  return { section, ticketId: id ? Number(id) : null };
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const onChange = () => setRoute(readRoute());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}
