/** Writes that happen once, even when their response is lost. */
import type { Context, Transaction } from '../context.ts';

/**
 * Makes a write in a transaction that stores its response too, under the caller's idempotency key. A repetition gets that
 * response, and overwrites no later change.
 * @param write resolves to the operation's output; may be called again
 */
export const writeOnce = <Output extends object>(
  { models, storeResponse }: Pick<Context, 'models' | 'storeResponse'>,
  write: (transaction: Transaction) => Promise<Output>,
): Promise<Output> =>
  models.transaction(async (transaction) => {
    const output = await write(transaction);
    await storeResponse?.(output, transaction);
    return output;
  });
