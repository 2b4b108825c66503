/** The panel's own address, as browsers and nodes know it: PANEL_URL may be another one, such as an inner one. */
import { z } from 'zod';
import { withTimeout } from '../limit/with-timeout.ts';
import { withoutEndSlash } from '../setting-types.ts';
import { readClaims } from './jwt-claims.ts';

const Issued = z.object({ iss: z.url({ protocol: /^https?$/ }) });

export interface OwnAddress {
  /** For browsers. */
  forBrowsers(): string;
  isKnown(): boolean;
  /** Takes it from a token that the panel has signed for a node. */
  learn(token: string): void;
  /** Fulfilled when a look at the panel has ended, or has taken too long to be waited for. */
  settled: Promise<unknown>;
}

/** @param publicUrl of the operator's, which outranks what is learnt */
export function createOwnAddress(url: string, publicUrl: string | undefined): OwnAddress {
  let known = publicUrl;
  return {
    forBrowsers: () => known ?? url,
    isKnown: () => known !== undefined,
    learn(token) {
      known = publicUrl ?? issuerOf(token) ?? known ?? url;
    },
    settled: Promise.resolve(),
  };
}

/** How long the first lists of servers wait for their `panel_url`. */
const lookMsMax = 2_000;

export const waitForLook = (look: Promise<unknown>) => withTimeout(lookMsMax, look).catch(() => {});

/** The panel's own address, which its nodes compare with the Origin of consoles. */
export function issuerOf(token: string): string | null {
  const { iss } = readClaims(token, Issued) ?? {};
  if (iss === undefined) return null;
  const { origin, pathname } = new URL(iss);
  return withoutEndSlash(`${origin}${pathname}`);
}
