/** Downloads by links that work once: each press asks for another. */
import type { Api } from './api.ts';
import { useAction, useShell, useToldFailure } from './shell.ts';

/** The browser stays on the page: what the link leads to says that it is to be saved. */
export function useDownload(getLink: (api: Api) => Promise<{ url: string }>) {
  const { api } = useShell();
  const { isBusy, failure, run } = useAction();
  useToldFailure(failure);
  const download = () => run(async () => location.assign((await getLink(api)).url));
  return { isBusy, download };
}
