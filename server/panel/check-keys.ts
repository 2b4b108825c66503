/** Asks both of the panel's APIs at the start, so that the operator learns of keys that do not work before a customer. */
import { retry } from '../../models/support/retry.ts';
import { accountPath } from './client-http.ts';
import { diagnosePanel } from './diagnose.ts';
import { failureTable, type PanelApi, PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';
import { createPanelApi } from './panel-api.ts';

const repeatMs = 60_000;

/** These touch no node. */
const paths: readonly (readonly [PanelApi, string])[] = [
  ['application', 'api/application/users?per_page=1'],
  ['client', accountPath],
];

/** Asks again until both have answered; what fails is logged and reported as the outcome of a call. Returns what stops it. */
export function checkKeys(settings: PanelSettings): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  const askBoth = () => Promise.all(paths.map(([api, path]) => ask(api, path, settings)));
  const isFailure = (error: unknown) => error instanceof PanelFailure;
  retry(askBoth, { pauseMs: repeatMs, when: isFailure, signal, isBackground: true }).catch((error) => {
    if (!signal.aborted) settings.log.error({ err: error }, 'The keys of the panel could not be checked');
  });
  return () => stopping.abort();
}

async function ask(api: PanelApi, path: string, settings: PanelSettings): Promise<void> {
  try {
    await createPanelApi(api, settings).send({ path, requestId: 'start' }, (response) => {
      if (response.status !== 200) throw diagnosePanel(response);
    });
  } catch (error) {
    // The others are logged where every call is made.
    if (error instanceof PanelFailure && !failureTable[error.kind].operatorMessage)
      settings.log.error({ api, ...error.details }, `${failureTable[error.kind].event}: see PANEL_URL`);
    throw error;
  }
}
