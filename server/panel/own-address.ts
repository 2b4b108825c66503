/** The panel's own address, as browsers and nodes know it: PANEL_URL may be another one, such as an inner one. */
import { z } from 'zod';
import { withoutEndSlash } from '../setting-types.ts';
import { readClaims } from './jwt-claims.ts';

const Issued = z.object({ iss: z.url({ protocol: /^https?$/ }) });

export interface OwnAddress {
  /** For browsers. */
  forBrowsers(): string;
  /** Takes it from a token that the panel has signed for a node. */
  learn(token: string): void;
}

/** @param publicUrl of the operator's, which outranks what is learnt */
export function createOwnAddress(url: string, publicUrl: string | undefined): OwnAddress {
  let known = url;
  return {
    forBrowsers: () => publicUrl ?? known,
    learn(token) {
      known = issuerOf(token) ?? known;
    },
  };
}

/** The panel's own address, which its nodes compare with the Origin of consoles. */
export function issuerOf(token: string): string | null {
  const { iss } = readClaims(token, Issued) ?? {};
  if (iss === undefined) return null;
  const { origin, pathname } = new URL(iss);
  return withoutEndSlash(`${origin}${pathname}`);
}
