/** The list of keys, refetched when the tab becomes visible, as another tab may have changed it. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { KeyList } from './api.ts';
import { useAction, useShell } from './shell.ts';

export function useKeys() {
  const { api, notify } = useShell();
  const { failure, run } = useAction();
  const [keys, setKeys] = useState<KeyList | null>(null);
  const reload = useCallback(() => run(async () => setKeys(await api.keys.list.query())), [api]);
  useEffect(() => {
    const onReturn = () => {
      if (document.visibilityState === 'visible') void reload();
    };
    void reload();
    document.addEventListener('visibilitychange', onReturn);
    return () => document.removeEventListener('visibilitychange', onReturn);
  }, [reload]);
  useEffect(() => {
    if (failure && keys) notify(failure);
  }, [failure, keys, notify]);
  return { keys, failure, reload };
}
