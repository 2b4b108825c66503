/** What all files of this folder work with: the options, what they leave out, and what calls have shown. */
import { createLimiter } from '../limit/limiter.ts';
import { withoutEndSlash } from '../setting-types.ts';
import { Evidence } from './evidence.ts';
import {
  type CompleteOptions,
  type PterodactylPanelOptions,
  panelDefaults,
  type TraceCall,
} from './options.ts';
import { createOwnAddress } from './own-address.ts';

export type PanelSettings = ReturnType<typeof toSettings>;

const untraced: TraceCall = (_traced, call) => call({});

/** @throws {TypeError} for an invalid URL */
export function toSettings(options: PterodactylPanelOptions) {
  const publicUrl = options.publicUrl && baseUrl(options.publicUrl);
  const url = baseUrl(options.url);
  const complete: CompleteOptions = {
    ...panelDefaults,
    onOutcome: () => {},
    ...options,
    publicUrl,
    url,
    limiter: options.limiter ?? createLimiter({ clock: options.clock, shared: null }),
  };
  return {
    ...complete,
    traceCall: options.traceCall ?? untraced,
    onConsoleRead: options.onConsoleRead ?? (() => {}),
    ownAddress: createOwnAddress(url, publicUrl),
    evidence: new Evidence(complete),
  };
}

/** Origin and path only: a password in the configured URL must not reach customers in `panel_url`. */
function baseUrl(url: string) {
  const { origin, pathname } = new URL(url);
  return withoutEndSlash(`${origin}${pathname}`);
}
