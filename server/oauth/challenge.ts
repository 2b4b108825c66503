/**
 * Tells who sends no credential, or a token that is refused, where to sign in (RFC 9728). Not who sends a bad API key: its
 * client would start to sign in, and the user would not learn that the key is at fault.
 */

import type { Middleware } from '../../bridge/http/request-state.ts';
import { mcpPath } from '../../bridge/mcp/mcp.ts';
import type { KeyRefusal } from '../../routers/errors.ts';
import { mcpMetadataPath, resourceMetadataPath } from './paths.ts';

const challenges: { [refusal in KeyRefusal]?: string } = {
  missing: 'Bearer',
  unrecognized: 'Bearer error="invalid_token",',
  token_unknown: 'Bearer error="invalid_token",',
  token_suspended: 'Bearer error="invalid_token",',
};

export function createChallenge(issuer: string): Middleware {
  return async function challenge(ctx, next) {
    await next();
    const { headers, caller, keyRefusal, path } = ctx.state;
    const scheme = challenges[keyRefusal];
    if (headers['WWW-Authenticate'] === undefined || caller || scheme === undefined) return;
    const metadataPath = path === mcpPath ? mcpMetadataPath : resourceMetadataPath;
    headers['WWW-Authenticate'] = `${scheme} resource_metadata="${issuer}${metadataPath}"`;
  };
}
