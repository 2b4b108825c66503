/** The title of the browser's tab, which tells sections apart in a history and in a row of tabs. */
import { useEffect } from 'preact/hooks';
import { hostName } from './brand.tsx';

/** @param label null: another component names it */
export function useTitle(label: string | null): void {
  useEffect(() => {
    if (label !== null) document.title = `${label} · ${hostName()}`;
  }, [label]);
}
