/** What the service shows: read when it is wanted, and again as the page asks. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Api } from './api.ts';
import { useAction, useShell } from './shell.ts';
import { type Pace, useOnline, usePolling } from './use-polling.ts';

interface Options<Content> {
  /** What is asked for: when it changes it is read anew, and an answer to what was asked before is dropped. */
  of?: unknown;
  /** Whether it is wanted yet. */
  isOn?: boolean;
  /** How often it is read again; a failure of that shows only where `isToldOfAll`. */
  pace?: (content: Content | null, failure: string | null) => Pace;
  isToldOfAll?: boolean;
}

export type Query<Content> = ReturnType<typeof useQuery<Content>>;

export function useQuery<Content>(
  read: (api: Api) => Promise<Content>,
  { of, isOn = true, pace = () => null, isToldOfAll = false }: Options<Content> = {},
) {
  const { api } = useShell();
  const { run, ...action } = useAction();
  const [content, setContent] = useState<Content | null>(null);
  const latest = useRef({ read, of });
  latest.current = { read, of };
  const show = useCallback(
    async (finding: (api: Api) => Promise<Content>) => {
      const asked = latest.current.of;
      const found = await finding(api);
      if (latest.current.of === asked) setContent(found);
    },
    [api],
  );
  const refresh = useCallback(() => show(latest.current.read), [show]);
  const reload = useCallback(() => run(refresh), [refresh]);
  useEffect(() => {
    if (isOn) void reload();
  }, [reload, isOn, of]);
  useOnline(isOn ? reload : null);
  usePolling(isToldOfAll ? reload : refresh, pace(content, action.failure));
  return {
    ...action,
    content,
    /** Shows what another request finds; its failure shows as that of the query. */
    load: (finding: (api: Api) => Promise<Content>) => run(() => show(finding)),
    /** Reads it again for the user. */
    reload,
    /** Reads it again within another action, which fails with it. */
    refresh,
  };
}

/** Of what another tab may have changed meanwhile. */
export const onReturn = { pace: (): Pace => 'on return', isToldOfAll: true };
