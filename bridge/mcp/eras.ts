/**
 * The two eras of the protocol: what each answers by itself, built once. Up to 2025-11-25 a client opens with
 * `initialize`; since 2026-07-28 there is no handshake, and each result says that it is complete and who gave it.
 */
import { SERVER_INFO_META_KEY, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { JsonPiece } from '../json-pieces.ts';
import type { Tool } from './tools.ts';

export const modernVersion = '2026-07-28';

/** Those `initialize` can agree on, the newest first. */
export const legacyVersions: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;

export interface Era {
  /** The JSON of a method's result, for all methods but tools/call. */
  results: ReadonlyMap<string, JsonPiece>;
  /** What every result carries beside its own members. */
  resultMembers: object;
  /** The HTTP status under which an unknown method is refused. */
  unknownMethodStatus: 200 | 404;
}

const serverInfo = { name: 'gamehost', title: 'gamehost', version: '1.0.0' };
const capabilities = { tools: {} };
const instructions =
  'Every tool acts as the owner of the API key. A refused call is an error result whose text is ' +
  '{"error": {"code", "message"}}; the message says what to mend, which scope the key lacks, or how long to wait.';

/** How long a client may keep what changes only when the service is renewed. */
const cacheHints = { ttlMs: 300_000, cacheScope: 'private' };

export function createLegacyEra(tools: readonly Tool[]): Era {
  const results = new Map<string, JsonPiece>([
    ['ping', '{}'],
    ['tools/list', bytesOf({ tools })],
  ]);
  return { results, resultMembers: {}, unknownMethodStatus: 200 };
}

/** A client that asks for a version we do not speak is offered the newest, and may take it or leave. */
export function createInitializeResult(requested: string): string {
  const protocolVersion = legacyVersions.includes(requested) ? requested : legacyVersions[0];
  return JSON.stringify({ protocolVersion, capabilities, serverInfo, instructions });
}

export function createModernEra(tools: readonly Tool[]): Era {
  const common = { resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: serverInfo } };
  const discovered = { supportedVersions: [modernVersion], capabilities, instructions };
  const results = new Map([
    ['server/discover', bytesOf({ ...discovered, ...cacheHints, ...common })],
    ['tools/list', bytesOf({ tools, ...cacheHints, ...common })],
  ]);
  return { results, resultMembers: common, unknownMethodStatus: 404 };
}

const bytesOf = (result: object) => Buffer.from(JSON.stringify(result));
