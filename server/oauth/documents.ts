/** The documents in which apps read how to sign a user in (RFC 9728 and RFC 8414). They are the same for all. */
import { type Middleware, respondAllow, respondJson } from '../../bridge/http/request-state.ts';
import { ApiError } from '../../routers/errors.ts';
import { advertisedScopes } from '../../routers/scopes.ts';
import { mcpMetadataPath, oauthPaths, resourceMetadataPath, serverMetadataPath } from './paths.ts';

export function createDocuments(issuer: string): ReadonlyMap<string, string> {
  const resource = (identifier: string) =>
    JSON.stringify({
      resource: identifier,
      authorization_servers: [issuer],
      scopes_supported: advertisedScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'gamehost',
      resource_documentation: `${issuer}/api/v1/docs`,
    });
  return new Map([
    [resourceMetadataPath, resource(issuer)],
    [mcpMetadataPath, resource(`${issuer}/mcp`)],
    [serverMetadataPath, JSON.stringify(describeServer(issuer))],
  ]);
}

const authMethods = ['none', 'client_secret_basic', 'client_secret_post'];

const describeServer = (issuer: string) => ({
  issuer,
  authorization_endpoint: issuer + oauthPaths.authorize,
  token_endpoint: issuer + oauthPaths.token,
  registration_endpoint: issuer + oauthPaths.register,
  revocation_endpoint: issuer + oauthPaths.revoke,
  scopes_supported: [...advertisedScopes, 'offline_access'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_methods_supported: authMethods,
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${issuer}/api/v1/docs`,
});

const Allow = 'GET, HEAD, OPTIONS';

export const createServeDocuments = (documents: ReadonlyMap<string, string>): Middleware =>
  async function serveDocuments(ctx) {
    const { method, path, headers } = ctx.state;
    if (method === 'OPTIONS') return respondAllow(ctx, Allow);
    if (method !== 'GET' && method !== 'HEAD')
      throw new ApiError('method_not_allowed', `${method} is not offered here; use ${Allow}`, {
        headers: { Allow },
      });
    headers['Cache-Control'] = 'public, max-age=300';
    respondJson(ctx, 200, documents.get(path) ?? '');
  };
