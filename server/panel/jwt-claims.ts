/** What a JSON Web Token of the panel says; it is signed for a node, which checks that. */
import type { z } from 'zod';

/** Undefined where the text is no such token. */
export function readClaims<Claims>(token: string, schema: z.ZodType<Claims>): Claims | undefined {
  const [, claims = ''] = token.split('.');
  try {
    return schema.safeParse(JSON.parse(Buffer.from(claims, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}
