/** The panel's own address, as browsers and nodes know it. PANEL_URL may differ, such as an internal address. */
import { z } from 'zod';
import { withoutEndSlash } from '../setting-types.ts';
import { parseJson } from './parse-json.ts';

const Issued = z.object({ iss: z.url({ protocol: /^https?$/ }) });

/** @param publicUrl set by the operator; it outranks what tokens show */
export function createPanelAddress(url: string, publicUrl: string | undefined) {
  let known = publicUrl;
  return {
    forBrowsers: () => known ?? url,
    isKnown: () => known !== undefined,
    /** Reads the address from a token that the panel has signed for a node. */
    learn(token: string) {
      known = publicUrl ?? issuerOf(token) ?? known ?? url;
    },
    /** The first lists of servers wait for this check. */
    firstCheck: Promise.resolve<unknown>(undefined),
  };
}

/** The panel's own address, which its nodes compare with the Origin of consoles. */
export function issuerOf(token: string): string | null {
  const { iss } = readClaims(token, Issued) ?? {};
  if (iss === undefined) return null;
  const { origin, pathname } = new URL(iss);
  return withoutEndSlash(`${origin}${pathname}`);
}

/** The claims of the panel's JSON Web Token, whose signature the node checks. Undefined if the text is not a token. */
export function readClaims<Claims>(token: string, schema: z.ZodType<Claims>): Claims | undefined {
  const [, claims = ''] = token.split('.');
  return schema.safeParse(parseJson(Buffer.from(claims, 'base64url').toString())).data;
}
