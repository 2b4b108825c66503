/**
 * Calls a procedure whose caller has been authorized and whose input has been parsed: directly, where it has no middleware
 * but ours, or else through tRPC, which takes four times as long.
 */
import type { AnyProcedure, TRPCProcedureType } from '@trpc/server';
import type { z } from 'zod';
import type { Context } from '../routers/context.ts';
import { memoizeByIdentity } from '../routers/memoize-by-identity.ts';
import { anonymous, isAuthorization } from '../routers/trpc.ts';

export interface Invocation {
  context: Context;
  /** As the procedure's schema parsed it. */
  input: unknown;
  /** As it was sent. */
  rawInput: unknown;
}

/** Every output is an object, as OpenAPI and MCP tools require. */
export type Invoke = (invocation: Invocation) => Promise<object>;

/** What tRPC's builder leaves on a procedure. */
export interface ProcedureParts {
  type: TRPCProcedureType;
  middlewares: { _type?: string }[];
  resolver: (options: object) => Promise<object>;
}

interface InvokeOptions {
  name: string;
  procedure: AnyProcedure;
  parts: ProcedureParts;
  output: z.ZodType;
}

export const createInvoke = (options: InvokeOptions): Invoke =>
  isPlain(options.parts) ? createDirectInvoke(options) : createTrpcInvoke(options);

/** Authorization, input, output, and tRPC's own call of the resolver; a test pins this order by name. */
function isPlain({ middlewares }: ProcedureParts): boolean {
  const [first, ...others] = middlewares;
  return (
    isAuthorization(first) && others.map(({ _type }) => _type ?? 'other').join() === 'input,output,other'
  );
}

function createDirectInvoke({ name, parts: { type, resolver }, output: schema }: InvokeOptions): Invoke {
  const present = memoizeByIdentity((output: object) => {
    const presented = schema.parse(output) as object; // by readOperations, every output schema is one of objects
    return Object.isFrozen(output) ? Object.freeze(presented) : presented;
  });
  return async ({ context, input, rawInput }) => {
    const options = {
      // Only an open endpoint has no caller, and copies of the context are expensive.
      ctx: context.caller || context.browser ? context : { ...context, caller: anonymous },
      input,
      path: name,
      type,
      signal: undefined,
      batchIndex: 0,
      getRawInput: async () => rawInput,
    };
    return present(await resolver(options));
  };
}

/** As tRPC's own adapters call a procedure. */
const createTrpcInvoke =
  ({ name, procedure, parts: { type } }: InvokeOptions): Invoke =>
  ({ context, rawInput }) =>
    (procedure as unknown as InternalProcedure)({
      ctx: context,
      getRawInput: async () => rawInput,
      ...{ path: name, type, signal: undefined, batchIndex: 0 },
    });

/** tRPC types a procedure for callers on the client only. */
type InternalProcedure = (options: object) => Promise<object>;
