/**
 * Reads the router once into operations, which are all that REST, tRPC, MCP, OpenAPI and the docs page know about a
 * procedure. Only this file reads tRPC's internals (`_def`). A procedure that lacks a declaration stops the start
 * here.
 */
import type { AnyProcedure, AnyRouter, TRPCProcedureType } from '@trpc/server';
import { z } from 'zod';
import type { Context } from '../routers/context.ts';
import { isAdminScope, type Scope, scopes } from '../routers/scopes.ts';
import { memoizeByIdentity } from '../routers/support/memoize.ts';
import type { EndpointMeta, SessionMeta, Slot } from '../routers/trpc.ts';

export interface Invocation {
  ctx: Context;
  input: unknown;
}

interface OperationBase {
  name: string;
  type: 'query' | 'mutation';
  /** The input schema as declared; `input` is the object schema inside. */
  parser: z.ZodType;
  input: z.ZodObject;
  output: z.ZodType;
  status: 200 | 201 | 202;
  slot: Slot;
  targetField: string | null;
  /** Does not authorize. OpenAPI and MCP tools require that every output is an object. */
  invoke: (invocation: Invocation) => Promise<object>;
}

export interface Operation extends OperationBase, Omit<EndpointMeta, 'slot' | 'openapi'> {
  pathParameters: string[];
}

export interface SessionOperation extends OperationBase, Omit<SessionMeta, 'slot'> {}

export type AnyOperation = Operation | SessionOperation;

/** Calls of an open operation belong to no user, even if a header has a key. */
export const isOpenToVisitors = (operation: AnyOperation): boolean =>
  'scope' in operation && operation.scope === null;

export const isDestructive = ({ type, method, undo, destructive }: Operation): boolean =>
  type === 'mutation' && (destructive === true || method !== 'POST' || undo === 'backup');

export const readOperations = (router: AnyRouter, offeredScopes: readonly Scope[] = scopes): Operation[] =>
  readProcedures(router).flatMap(({ meta, ...base }) => {
    if (!isEndpointMeta(meta) || !isOffered(meta, offeredScopes)) return [];
    const pathParameters = pathParametersOf(meta);
    const targetField = pathParameters[0] ?? null;
    return [{ ...meta, ...base, slot: meta.slot ?? 'ordinary', pathParameters, targetField }];
  });

/** An operation has the same name in all protocols: by default the name of its tool, here in camel case. */
export const operationIdOf = ({ operationId, tool, name }: Operation): string =>
  operationId ?? (tool?.name ?? name).replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());

const pathParametersOf = ({ path }: EndpointMeta) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '');

const isOffered = ({ scope }: EndpointMeta, offeredScopes: readonly Scope[]) =>
  scope === null || scope === 'any' || offeredScopes.includes(scope);

export const readSessionOperations = (
  router: AnyRouter,
  offeredScopes: readonly Scope[] = scopes,
): SessionOperation[] =>
  readProcedures(router).flatMap(({ meta, ...base }) => {
    if (isEndpointMeta(meta) && !isOffered(meta, offeredScopes)) return [];
    const targetField = isEndpointMeta(meta)
      ? (pathParametersOf(meta)[0] ?? null)
      : (targetFields.find((field) => field in base.input.shape) ?? null);
    const { slot = 'ordinary', ...session } = isEndpointMeta(meta) ? toSessionMeta(meta) : meta;
    return [{ ...session, ...base, slot, status: 200, targetField }];
  });

/** The most specific first. */
const targetFields = [
  ...['id', 'ticket_id', 'server_identifier', 'webhook_id'],
  ...['external_id', 'announcement_id', 'user_id', 'slug'],
];

/** A session needs none of the scopes that a key needs, except `admin:` scopes. */
function toSessionMeta({ scope, ...meta }: EndpointMeta): SessionMeta {
  const adminScope = scope !== null && scope !== 'any' && isAdminScope(scope) ? scope : undefined;
  return { session: 'required', ...(adminScope && { adminScope }), ...meta };
}

const readProcedures = (router: AnyRouter) =>
  Object.entries<AnyProcedure>(router._def.procedures).map(([name, procedure]) =>
    readProcedure(name, procedure),
  );

function readProcedure(name: string, procedure: AnyProcedure) {
  // tRPC stores these fields on every procedure and publishes no type for them.
  const { meta, inputs, output, type, middlewares, resolver } =
    procedure._def as unknown as ProcedureDefinition;
  const [parser] = inputs;
  const input = withoutOptional(parser);
  if (!isEndpointMeta(meta) && !isSessionMeta(meta))
    throw new Error(`${name} must begin with endpoint(), visitorProcedure or sessionProcedure`);
  if (type === 'subscription') throw new Error(`${name} is a subscription, which REST and MCP do not have`);
  if (inputs.length !== 1 || !(parser instanceof z.ZodType) || !(input instanceof z.ZodObject))
    throw new Error(`${name} needs one object as input`);
  if (!(output instanceof z.ZodType)) throw new Error(`${name} needs a zod output`);
  // tRPC adds three middlewares: for the input, the output and the resolver.
  if (middlewares.length !== 3)
    throw new Error(`${name} has an additional middleware; check in the procedure instead`);
  return { meta, name, type, parser, input, output, invoke: createInvoke(resolver, output) };
}

interface ProcedureDefinition {
  type: TRPCProcedureType;
  meta?: unknown;
  inputs: unknown[];
  output?: unknown;
  middlewares: unknown[];
  resolver: OperationBase['invoke'];
}

/** tRPC's caller parses the input twice and each output again, which adds a third to the CPU time of `GET /me`. */
function createInvoke(resolver: OperationBase['invoke'], schema: z.ZodType): OperationBase['invoke'] {
  const toPublicOutput = memoizeByIdentity((output: object) => {
    const presented = schema.parse(output) as object; // every output schema is an object schema
    return Object.isFrozen(output) ? Object.freeze(presented) : presented;
  });
  return async (invocation) => toPublicOutput(await resolver(invocation));
}

const isEndpointMeta = (meta: unknown): meta is EndpointMeta =>
  typeof meta === 'object' && meta !== null && 'openapi' in meta;

const isSessionMeta = (meta: unknown): meta is SessionMeta =>
  typeof meta === 'object' && meta !== null && 'session' in meta;

const withoutOptional = (parser: unknown): unknown =>
  parser instanceof z.ZodOptional || parser instanceof z.ZodDefault
    ? withoutOptional(parser.unwrap())
    : parser;

/**
 * Every write with an API key takes an idempotency key, unless its response is a secret. So does every write in a
 * session, unless it takes a password. Other operations ignore the key.
 */
export function takesIdempotencyKey(operation: AnyOperation): boolean {
  if (operation.type !== 'mutation') return false;
  return 'scope' in operation
    ? operation.scope !== null && !operation.hasSecretOutput
    : operation.session === 'required' && !operation.hasSecretInput;
}
