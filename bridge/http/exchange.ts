/** One request, parsed: the calls it asks for, what they cost, and their replies. */
import type { ApiError } from '../../routers/errors.ts';
import type { Access } from '../../routers/trpc.ts';
import type { AnyOperation } from '../operations.ts';
import type { JsonChunks } from './json-chunks.ts';

/** A call of an operation that a request asks for. */
export interface OperationCall {
  operation: AnyOperation;
  /** Called once the caller is authorized; may receive the body, and refuses what the schema cannot see. */
  readInput: () => unknown;
  /** As sent; undefined where none was. */
  idempotencyKey?: unknown;
}

/** A call of something that does not exist. Callers with access get the refusal; others get a 401 or 403 first. */
interface RefusedCall {
  /** What was asked for, in a protocol that calls operations by name. */
  name?: string;
  access: Access;
  refusal: ApiError;
}

export type Call = OperationCall | RefusedCall;

export const isOperationCall = (call: Call): call is OperationCall => 'operation' in call;

/** What a request counts as: calls of operations, and protocol messages that are none. */
export interface Cost {
  calls: number;
  messages: number;
}

/** One request, parsed. */
export interface Exchange {
  calls: readonly Call[];
  cost: Cost;
  isBatch: boolean;
}

/** How one call ended, ready to be sent. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  json: string | JsonChunks;
}
