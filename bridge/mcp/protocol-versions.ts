/**
 * The two generations of the protocol, with every result that can be built once. Up to 2025-11-25 a client opens with
 * `initialize`; since 2026-07-28 there is no handshake, and each result names its type and its server.
 */
import { SERVER_INFO_META_KEY, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { JsonChunk } from '../http/json-chunks.ts';
import type { Tool } from './tools.ts';

export const modernVersion = '2026-07-28';

/** The versions that `initialize` can agree on, newest first. */
export const legacyVersions: readonly string[] = SUPPORTED_PROTOCOL_VERSIONS;

export interface ProtocolVersion {
  /** The JSON of a method's result, for all methods but tools/call. */
  results: ReadonlyMap<string, JsonChunk>;
  /** What every result carries beside its own members. */
  resultMembers: object;
  /** The HTTP status under which an unknown method is refused. */
  unknownMethodStatus: 200 | 404;
}

const serverInfo = { name: 'gamehost', title: 'gamehost', version: '1.0.0' };
const capabilities = { tools: {} };
const instructions =
  'Every tool acts as the owner of the API key. A refused call is an error result whose text is ' +
  '{"error": {"code", "message"}}; the message says what to correct, which scope the key lacks, or how long to wait.';

/** How long a client may cache what changes only with a deployment. */
const cacheHints = { ttlMs: 300_000, cacheScope: 'private' };

export function createLegacyVersion(tools: readonly Tool[]): ProtocolVersion {
  const results = new Map<string, JsonChunk>([
    ['ping', '{}'],
    ['tools/list', bytesOf({ tools })],
  ]);
  return { results, resultMembers: {}, unknownMethodStatus: 200 };
}

/** A client that asks for a version we do not have is offered the newest. */
export function createInitializeResult(requested: string): string {
  const protocolVersion = legacyVersions.includes(requested) ? requested : legacyVersions[0];
  return JSON.stringify({ protocolVersion, capabilities, serverInfo, instructions });
}

export function createModernVersion(tools: readonly Tool[]): ProtocolVersion {
  const common = { resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: serverInfo } };
  const discovered = { supportedVersions: [modernVersion], capabilities, instructions };
  const results = new Map([
    ['server/discover', bytesOf({ ...discovered, ...cacheHints, ...common })],
    ['tools/list', bytesOf({ tools, ...cacheHints, ...common })],
  ]);
  return { results, resultMembers: common, unknownMethodStatus: 404 };
}

const bytesOf = (result: object) => Buffer.from(JSON.stringify(result));
