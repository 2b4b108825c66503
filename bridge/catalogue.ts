/**
 * The router read once: the rows of the public API, which are all that REST, tRPC and MCP know of an operation, and,
 * apart from them, the procedures of the account page.
 * The only file that looks inside tRPC (`_def`); a procedure that says too little stops the start here.
 */
import type { AnyProcedure, AnyRouter } from '@trpc/server';
import { z } from 'zod';
import type { EndpointMeta, SessionMeta } from '../routers/trpc.ts';
import { takesIdempotencyKey } from './idempotency-key.ts';
import { createKeyedCall } from './keyed-call.ts';
import {
  createDirectCall,
  createTrpcCall,
  type ProcedureCall,
  type ProcedureParts,
} from './procedure-call.ts';

/** What both kinds of procedures have: their shapes, and how to call them. */
export interface Callable {
  /** Where it stands in the router, e.g. "tickets.reply". */
  name: string;
  type: 'query' | 'mutation';
  input: z.ZodObject;
  output: z.ZodType;
  /** The status of success. */
  status: 200 | 201 | 202;
  /** The field of the input that names what is acted upon; null when there is none. */
  targetField: string | null;
  call: ProcedureCall;
}

/** One operation of the public API: {name, method, path, scope, tool, status, ...} as its meta says. */
export interface Row extends Callable, EndpointMeta, Pick<EndpointMeta['openapi'], 'method' | 'path'> {
  pathParameters: string[];
}

/** One procedure of the account page, called with a session and never with a key. */
export interface SessionRow extends Callable, SessionMeta {}

/** The rows of the public API, in the router's order. */
export const readCatalogue = (router: AnyRouter): Row[] =>
  readProcedures(router).flatMap(({ meta, ...callable }) => {
    if (!isEndpointMeta(meta)) return [];
    const { method, path } = meta.openapi;
    const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '');
    const targetField = pathParameters[0] ?? null;
    return [{ ...meta, ...callable, method, path, pathParameters, targetField }];
  });

/** The procedures of the account page, in the router's order. */
export const readSessionCatalogue = (router: AnyRouter): SessionRow[] =>
  readProcedures(router).flatMap(({ meta, ...callable }) => {
    if (isEndpointMeta(meta)) return [];
    const targetField = 'id' in callable.input.shape ? 'id' : null;
    return [{ ...meta, ...callable, status: 200, targetField }];
  });

const readProcedures = (router: AnyRouter) =>
  Object.entries<AnyProcedure>(router._def.procedures).map(([name, procedure]) =>
    readProcedure(name, procedure),
  );

/** What a procedure says in both kinds' own ways. */
type Reading = Omit<Callable, 'status' | 'targetField'> & { meta: EndpointMeta | SessionMeta };

function readProcedure(name: string, procedure: AnyProcedure): Reading {
  const { meta, inputs, output, ...parts } = procedureDefinition(procedure);
  const [parser] = inputs;
  const input = unwrap(parser);
  if (!isEndpointMeta(meta) && !isSessionMeta(meta))
    throw new Error(`${name} must begin with endpoint(), visitorProcedure or sessionProcedure`);
  if (parts.type === 'subscription')
    throw new Error(`${name} is a subscription, which REST and MCP cannot speak`);
  if (inputs.length !== 1 || !(parser instanceof z.ZodType) || !(input instanceof z.ZodObject))
    throw new Error(`${name} needs one object as input`);
  if (!(output instanceof z.ZodType)) throw new Error(`${name} needs a zod output`);
  const { type } = parts;
  const trpcCall = createTrpcCall(name, type, procedure);
  if (!isEndpointMeta(meta)) return { meta, name, type, input, output, call: trpcCall };
  const directCall = createDirectCall({ name, meta, parsers: { input: parser, output }, parts });
  const plainCall = directCall ?? trpcCall;
  const call = takesIdempotencyKey({ type, scope: meta.scope })
    ? createKeyedCall({ name, meta, input: parser }, plainCall)
    : plainCall;
  return { meta, name, type, input, output, call };
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
