/**
 * The router, read once into operations, which are all that REST, tRPC, MCP, OpenAPI and the docs page know of a procedure.
 * The only file that reads tRPC's internals (`_def`); a procedure that lacks a declaration stops the start here.
 */
import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { z } from 'zod';
import { type Scope, scopes } from '../routers/scopes.ts';
import type { EndpointMeta, SessionMeta } from '../routers/trpc.ts';
import { createInvoke, type Invoke, type ProcedureParts } from './procedure-call.ts';

interface OperationBase {
  /** Its path in the router, such as "tickets.reply". */
  name: string;
  type: 'query' | 'mutation';
  /** The input schema as declared, and the object schema inside. */
  parser: z.ZodType;
  input: z.ZodObject;
  output: z.ZodType;
  /** The HTTP status of success. */
  status: 200 | 201 | 202;
  /** Whether a call may end with 201 instead. */
  canCreate?: true;
  /** Whether a call names the owner of its resource for the audit. */
  auditsOwner?: true;
  /** The input field that names the resource; null where there is none. */
  targetField: string | null;
  invoke: Invoke;
}

/** An operation of the public API, called with a key. */
export interface Operation
  extends OperationBase,
    EndpointMeta,
    Pick<EndpointMeta['openapi'], 'method' | 'path'> {
  pathParameters: string[];
}

/** A procedure of the account page, called with a session and never with a key. */
export interface SessionOperation extends OperationBase, SessionMeta {}

export type AnyOperation = Operation | SessionOperation;

/** The operations of the public API that a key with these scopes can reach, in the router's order. */
export const readOperations = (router: AnyRouter, offered: readonly Scope[] = scopes): Operation[] =>
  readProcedures(router).flatMap(({ meta, ...base }) => {
    if (!isEndpointMeta(meta) || !isOffered(meta, offered)) return [];
    const { method, path } = meta.openapi;
    const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '');
    const targetField = pathParameters[0] ?? null;
    return [{ ...meta, ...base, method, path, pathParameters, targetField }];
  });

const isOffered = ({ scope }: EndpointMeta, offered: readonly Scope[]) =>
  scope === null || scope === 'any' || offered.includes(scope);

/** The procedures of the account page, in the router's order. */
export const readSessionOperations = (router: AnyRouter): SessionOperation[] =>
  readProcedures(router).flatMap(({ meta, ...base }) => {
    if (isEndpointMeta(meta)) return [];
    const targetField = ['id', 'ticket_id'].find((field) => field in base.input.shape) ?? null;
    return [{ ...meta, ...base, status: 200, targetField }];
  });

const readProcedures = (router: AnyRouter) =>
  Object.entries<AnyProcedure>(router._def.procedures).map(([name, procedure]) =>
    readProcedure(name, procedure),
  );

/** What both kinds of procedures declare. */
type Declaration = Omit<OperationBase, 'status' | 'targetField'> & { meta: EndpointMeta | SessionMeta };

function readProcedure(name: string, procedure: AnyProcedure): Declaration {
  const { meta, inputs, output, ...parts } = procedureDefinition(procedure);
  const [parser] = inputs;
  const input = unwrap(parser);
  if (!isEndpointMeta(meta) && !isSessionMeta(meta))
    throw new Error(`${name} must begin with endpoint(), visitorProcedure or sessionProcedure`);
  if (parts.type === 'subscription')
    throw new Error(`${name} is a subscription, which REST and MCP do not have`);
  if (inputs.length !== 1 || !(parser instanceof z.ZodType) || !(input instanceof z.ZodObject))
    throw new Error(`${name} needs one object as input`);
  if (!(output instanceof z.ZodType)) throw new Error(`${name} needs a zod output`);
  const invoke = createInvoke({ name, procedure, parts, output });
  return { meta, name, type: parts.type, parser, input, output, invoke };
}

interface ProcedureDefinition extends ProcedureParts {
  meta?: unknown;
  inputs: unknown[];
  output?: unknown;
}

/** tRPC keeps parsers and meta on every procedure but publishes no type for them. */
const procedureDefinition = (procedure: AnyProcedure) => procedure._def as unknown as ProcedureDefinition;

const isEndpointMeta = (meta: unknown): meta is EndpointMeta =>
  typeof meta === 'object' && meta !== null && 'openapi' in meta && 'scope' in meta && 'status' in meta;

const isSessionMeta = (meta: unknown): meta is SessionMeta =>
  typeof meta === 'object' && meta !== null && 'session' in meta;

const unwrap = (parser: unknown): unknown =>
  parser instanceof z.ZodOptional || parser instanceof z.ZodDefault ? unwrap(parser.unwrap()) : parser;
