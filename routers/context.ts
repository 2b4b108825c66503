/** What a procedure is called with: who calls, the stores, and the outside world as ports. */
import type { Models } from '../models/index.ts';
import type { KeyRefusal } from './errors.ts';
import type { Clock, Panel } from './ports.ts';
import type { Scope } from './scopes.ts';

/** The owner of a verified key, and what the key may do now. */
export interface Caller {
  userId: number;
  keyId: string;
  scopes: readonly Scope[];
}

export interface Context {
  caller: Caller | null;
  /** Why there is no caller. */
  keyRefusal: KeyRefusal;
  requestId: string;
  models: Models;
  panel: Panel;
  clock: Clock;
  /** The OpenAPI document of this very router; made in bridge/, which reads the procedures. */
  openApiDocument: () => { openapi: string };
}
