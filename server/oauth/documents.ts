/** The paths of the authorization server, and the documents that describe it to apps (RFC 9728 and RFC 8414). */
import { mcpPath } from '../../bridge/mcp/mcp.ts';
import type { OAuthUrls } from '../../bridge/openapi/security.ts';
import { allowResponse, type Protocol } from '../../bridge/protocol.ts';
import {
  type ApiError,
  type KeyRefusal,
  keyRefusals,
  keyRefused,
  methodNotAllowed,
} from '../../routers/errors.ts';
import { defaultScopes } from '../../routers/scopes.ts';
import { isLoopback } from '../loopback.ts';

export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const;

export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

const serverMetadataPath = '/.well-known/oauth-authorization-server';
/** Some clients use the address of /mcp as the authorization server's address. */
const serverMetadataOfMcpPath = serverMetadataPath + mcpPath;
const resourceMetadataPath = '/.well-known/oauth-protected-resource';
const mcpMetadataPath = resourceMetadataPath + mcpPath;

/** The browser returns to this path with the user's decision. */
const resumePattern = /^\/oauth\/authorize\/([\w-]{1,100})$/;

export const resumedRequestId = (path: string): string | null => resumePattern.exec(path)?.[1] ?? null;

function createDocuments({ issuer, scopes, hostName }: DocumentOptions): ReadonlyMap<string, string> {
  const resource = (identifier: string) =>
    JSON.stringify({
      resource: identifier,
      authorization_servers: [issuer],
      scopes_supported: defaultScopes,
      bearer_methods_supported: ['header'],
      resource_name: hostName,
      resource_documentation: `${issuer}/api/v1/docs`,
    });
  const server = JSON.stringify(describeServer(issuer, scopes));
  return new Map([
    [resourceMetadataPath, resource(issuer)],
    [mcpMetadataPath, resource(`${issuer}/mcp`)],
    [serverMetadataPath, server],
    [serverMetadataOfMcpPath, server],
  ]);
}

const describeServer = (issuer: string, scopes: readonly string[]) => ({
  issuer,
  authorization_endpoint: issuer + oauthPaths.authorize,
  token_endpoint: issuer + oauthPaths.token,
  registration_endpoint: issuer + oauthPaths.register,
  revocation_endpoint: issuer + oauthPaths.revoke,
  scopes_supported: [...scopes, 'offline_access'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: authMethods,
  token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  revocation_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${issuer}/api/v1/docs`,
});

const Allow = 'GET, HEAD, OPTIONS';

export const documentPaths = [
  resourceMetadataPath,
  mcpMetadataPath,
  serverMetadataPath,
  serverMetadataOfMcpPath,
];

interface DocumentOptions {
  issuer: string;
  scopes: readonly string[];
  hostName: string;
}

export function createRespondDocument(described: DocumentOptions): Protocol['respond'] {
  const documents = createDocuments(described);
  return function respondDocument({ state: { request } }) {
    const { method, path } = request;
    if (method === 'OPTIONS') return allowResponse(Allow);
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, Allow);
    const headers = { 'Cache-Control': 'public, max-age=300' };
    return { status: 200, headers, json: documents.get(path) ?? '' };
  };
}

/**
 * Returns PUBLIC_URL, or null to turn the authorization server off: PUBLIC_URL is unset, or plain http would carry tokens over
 * a network.
 */
export function issuerOf(publicUrl: string | undefined): string | null {
  if (publicUrl === undefined) return null;
  const url = new URL(publicUrl);
  const isPrivate = url.protocol === 'https:' || isLoopback(url);
  return isPrivate ? publicUrl : null;
}

/** For the API's description; null: apps cannot sign in. */
export function oauthUrlsOf(publicUrl: string | undefined): OAuthUrls | null {
  const issuer = issuerOf(publicUrl);
  if (issuer === null) return null;
  const { authorization_endpoint, token_endpoint } = describeServer(issuer, []);
  return { authorizationUrl: authorization_endpoint, tokenUrl: token_endpoint, refreshUrl: token_endpoint };
}

/** Apps name the API by any of these addresses. All of them are one resource. */
export const resourcesOf = (issuer: string): readonly string[] => [
  issuer,
  `${issuer}/`,
  `${issuer}/mcp`,
  `${issuer}/mcp/`,
];

const challenges: { [refusal in KeyRefusal]?: string } = {
  missing: 'Bearer',
  unrecognized: 'Bearer error="invalid_token",',
  token_unknown: 'Bearer error="invalid_token",',
  token_suspended: 'Bearer error="invalid_token",',
};

/**
 * The challenge says where to sign in (RFC 9728), except after a bad API key. The client would then start a sign-in, and hide
 * from the user that the key is at fault.
 */
export const createRefuseKey =
  (issuer: string) =>
  (refusal: KeyRefusal, path: string): ApiError => {
    const scheme = challenges[refusal];
    if (scheme === undefined) return keyRefusals[refusal];
    const metadataPath = path === mcpPath ? mcpMetadataPath : resourceMetadataPath;
    const challenge = `${scheme} resource_metadata="${issuer}${metadataPath}"`;
    return keyRefused(keyRefusals[refusal].message, challenge);
  };
