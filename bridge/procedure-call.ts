/**
 * How a procedure is called: by tRPC with all its middleware, or, where it has only what every endpoint has,
 * part after part, which is the same in a quarter of the time.
 */
import type { AnyProcedure, TRPCProcedureType } from '@trpc/server';
import type { z } from 'zod';
import type { Context } from '../routers/context.ts';
import { badInput } from '../routers/errors.ts';
import type { Idempotency } from '../routers/idempotency.ts';
import { keepFrozen } from '../routers/keep-frozen.ts';
import { admission, admit, type EndpointMeta } from '../routers/trpc.ts';

/** Who calls, and the input, which is fetched only after the caller has been admitted. */
export interface CallOptions {
  context: Context;
  readInput: () => unknown;
  signal?: AbortSignal | undefined;
  /** What the caller brings to a write that must not happen twice. */
  idempotency?: Idempotency | undefined;
}

/** Every output is an object, as the OpenAPI document and the tools want it. */
export type ProcedureCall = (options: CallOptions) => Promise<object>;

/** What tRPC's builder leaves on a procedure. */
export interface ProcedureParts {
  type: TRPCProcedureType;
  middlewares: { _type?: string }[];
  resolver: (options: object) => Promise<object>;
}

/** Calls a procedure as tRPC's own adapters do. */
export const createTrpcCall =
  (name: string, type: TRPCProcedureType, procedure: AnyProcedure): ProcedureCall =>
  ({ context, readInput, signal }) =>
    (procedure as unknown as InternalProcedure)({
      ctx: context,
      getRawInput: readInput,
      path: name,
      type,
      signal,
      batchIndex: 0,
    });

/** tRPC types a procedure for its callers on the client only. */
type InternalProcedure = (options: object) => Promise<object>;

interface DirectCallOptions {
  name: string;
  meta: EndpointMeta;
  parsers: { input: z.ZodType; output: z.ZodType };
  parts: ProcedureParts;
}

/** Admission, input, resolver and output by hand; null for a procedure that has more to it than these. */
export function createDirectCall({ name, meta, parsers, parts }: DirectCallOptions): ProcedureCall | null {
  const { type, middlewares, resolver } = parts;
  if (!isPlain(middlewares)) return null;
  const present = keepFrozen((output: object) => {
    const presented = parsers.output.parse(output) as object; // as its shape has it
    return Object.isFrozen(output) ? Object.freeze(presented) : presented;
  });
  return async ({ context, readInput, signal }) => {
    const caller = admit(context, meta.scope);
    const input = parsers.input.safeParse(await readInput());
    if (!input.success) throw badInput(input.error);
    const options = {
      // Only a call open to everybody has another caller than its context, and copies are dear.
      ctx: caller === context.caller ? context : { ...context, caller },
      input: input.data,
      path: name,
      type,
      signal,
      getRawInput: readInput,
      batchIndex: 0,
    };
    return present(await resolver(options));
  };
}

/** Admission, input, output, and tRPC's own call of the resolver: nothing that this file leaves out. */
function isPlain(middlewares: ProcedureParts['middlewares']): boolean {
  const [first, ...others] = middlewares;
  const kinds = others.map(({ _type }) => _type ?? 'other').join();
  return first === admission._middlewares[0] && kinds === 'input,output,other';
}
