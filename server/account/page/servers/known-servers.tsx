/** The user's servers as the page knows them: the last known ones with their age while the panel is slow or fails. */
import type { ComponentChildren } from 'preact';
import type { Api, Server } from '../api.ts';
import { Failed } from '../failed.tsx';
import { KeySkeletons } from '../skeleton.tsx';
import { distanceOf } from '../time.tsx';
import { useLastKnown } from '../use-last-known.ts';
import { Warning } from '../warning.tsx';
import { conditionOf } from './server-state.tsx';

/** While a server is installed, moved or suspended. */
const unusualMs = 20_000;
const calmMs = 5 * 60_000;

type Known = ReturnType<typeof useKnownServers>;

export function useKnownServers() {
  const { content, ...known } = useLastKnown({
    name: 'servers',
    query: (api: Api) => api.servers.list.query(),
    everyMs: (last) => (last?.servers.some((each) => conditionOf(each) !== null) ? unusualMs : calmMs),
  });
  return { servers: content?.servers ?? null, ...known };
}

interface Props {
  of: Known;
  children(servers: Server[]): ComponentChildren;
}

export function KnownServers({ of: { servers, at, failure, isSlow, reload }, children }: Props) {
  if (servers)
    return (
      <>
        {(failure !== null || isSlow) && <Age at={at} failure={failure} />}
        {children(servers)}
      </>
    );
  if (failure === null) return <KeySkeletons />;
  return <Failed message={`${withoutAdvice(failure)} ${retried}`} onRetry={reload} />;
}

/** The API's messages tell its callers to try again, which the page does by itself. */
const withoutAdvice = (failure: string) => failure.replace(/; try again later\.$/, '.');

const retried = 'It is tried again by itself.';

/** Said of a list that may be out of date. */
const Age = ({ at, failure }: { at: number; failure: string | null }) => (
  <Warning role="status">
    {failure === null ? 'The panel is slow to answer.' : withoutAdvice(failure)} This is what was known{' '}
    <strong>{distanceOf(new Date(at).toISOString())}</strong>. {failure !== null && retried}
  </Warning>
);
