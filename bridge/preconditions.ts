/**
 * Versions of resources (RFC 9110, sections 8.8.3 and 13.1.1): the ETag of a response, and If-Match, which refuses a
 * write if another caller has written in the meantime.
 */
import { hash } from 'node:crypto';
import type { Context } from '../routers/context.ts';
import { preconditionFailed } from '../routers/errors.ts';
import type { AnyOperation, Operation } from './operations.ts';

type Versioned = Pick<AnyOperation, 'versioned'>;

/** Whether If-Match applies: a create or a read has nothing to compare. */
export const takesIfMatch = ({ versioned, method }: Operation): boolean =>
  versioned !== undefined && (method === 'PUT' || method === 'PATCH');

/** @param output its first value is the resource, as in every output of a versioned operation */
export const versionHeaders = ({ versioned }: Versioned, output: object): Record<string, string> =>
  versioned ? { ETag: etagOf(Object.values(output)[0], versioned) } : {};

/** Returns a check that the store calls before it writes. The check throws unless the caller has seen the current version. */
export const preconditionOf = (
  { versioned }: Versioned,
  ifMatch: string | undefined,
): Context['precondition'] =>
  versioned && ifMatch !== undefined
    ? (current) => {
        if (!current || !isMatch(ifMatch, etagOf(current, versioned))) throw preconditionFailed();
      }
    : undefined;

/** A proxy that compresses responses makes their ETags weak (`W/`); the version is the same. */
const isMatch = (ifMatch: string, etag: string) =>
  ifMatch.split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')));

/** Ignores the order of fields, which may differ between a stored resource and a response. */
function etagOf(resource: object, { except = [] }: NonNullable<AnyOperation['versioned']>): string {
  const compared = Object.entries(resource).filter(([field]) => !except.includes(field));
  const json = JSON.stringify(Object.fromEntries(compared), (_, value) => inOrder(value));
  return `"${hash('sha256', json, 'base64url').slice(0, 22)}"`;
}

const inOrder = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;
