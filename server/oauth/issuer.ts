/** Whether the service is an authorization server for apps, and under which name. */
import { isLoopback } from '../account/settings.ts';

/**
 * The origin of PUBLIC_URL. Null, which turns the authorization server off, without one, where it has a path, and where
 * plain http would carry tokens over a network.
 */
export function issuerOf(publicUrl: string | undefined): string | null {
  if (publicUrl === undefined) return null;
  const url = new URL(publicUrl);
  const isPrivate = url.protocol === 'https:' || isLoopback(url);
  return isPrivate && url.origin === publicUrl ? publicUrl : null;
}

/** The addresses by which apps name the API, which is one resource. */
export const resourcesOf = (issuer: string): readonly string[] => [
  issuer,
  `${issuer}/`,
  `${issuer}/mcp`,
  `${issuer}/mcp/`,
];
