/** The paths of the authorization server. */
import { mcpPath } from '../../bridge/mcp/mcp.ts';

const oauthPrefix = '/oauth';

export const oauthPaths = {
  authorize: `${oauthPrefix}/authorize`,
  token: `${oauthPrefix}/token`,
  register: `${oauthPrefix}/register`,
  revoke: `${oauthPrefix}/revoke`,
} as const;

export const serverMetadataPath = '/.well-known/oauth-authorization-server';
export const resourceMetadataPath = '/.well-known/oauth-protected-resource';
export const mcpMetadataPath = resourceMetadataPath + mcpPath;

/** Where the browser comes back to with the user's decision. */
const resumePattern = /^\/oauth\/authorize\/([\w-]{1,100})$/;

/** The id of the decided request; null for any other path. */
export const resumedRequestId = (path: string): string | null => resumePattern.exec(path)?.[1] ?? null;
