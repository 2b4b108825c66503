/** What the service lists, refetched when the tab becomes visible, as another tab may have changed it. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import type { Api } from './api.ts';
import { useAction, useShell } from './shell.ts';

export function useFresh<Content>(query: (api: Api) => Promise<Content>) {
  const { api, notifyOfFailure } = useShell();
  const { failure, isFinal, run } = useAction();
  const [content, setContent] = useState<Content | null>(null);
  const reload = useCallback(() => run(async () => setContent(await query(api))), [api]);
  useEffect(() => {
    const onReturn = () => {
      if (document.visibilityState === 'visible') void reload();
    };
    void reload();
    document.addEventListener('visibilitychange', onReturn);
    return () => document.removeEventListener('visibilitychange', onReturn);
  }, [reload]);
  useEffect(() => {
    if (failure && content) notifyOfFailure(failure);
  }, [failure, content, notifyOfFailure]);
  return { content, failure, isFinal, reload };
}
