/** A call of a write that may bring an idempotency key; without one it is the plain call and costs no more. */
import type { z } from 'zod';
import { badInput } from '../routers/errors.ts';
import { answerOnce } from '../routers/idempotency.ts';
import { admit, type EndpointMeta } from '../routers/trpc.ts';
import type { ProcedureCall } from './procedure-call.ts';

interface KeyedCallOptions {
  name: string;
  meta: EndpointMeta;
  input: z.ZodType;
}

/** Whoever may not call, or asks for what cannot be, is refused before the idempotency key is looked at. */
export function createKeyedCall({ name, meta, input }: KeyedCallOptions, call: ProcedureCall): ProcedureCall {
  return (options) => {
    const { idempotency, context } = options;
    if (!idempotency) return call(options);
    const callOnce = async () => {
      const { keyId } = admit(context, meta.scope);
      const sent = await options.readInput();
      const parsed = input.safeParse(sent);
      if (!parsed.success) throw badInput(parsed.error);
      const keyedCall = { ...idempotency, context, keyId, operation: name, input: parsed.data };
      return answerOnce(keyedCall, (writeId) =>
        call({ ...options, context: { ...context, writeId }, readInput: async () => sent }),
      );
    };
    return callOnce();
  };
}
