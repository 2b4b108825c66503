/** Writes that happen once, even if their response is lost and the caller repeats them. */
import type { Context, Transaction } from '../context.ts';
import { overloaded } from '../errors.ts';

/** How long a write waits for its user's other writes. During an outage of MongoDB, each of these takes seconds. */
const queueMsMax = 10_000;

/**
 * Makes a write in a transaction that also stores its response, under the caller's idempotency key. A repeated request gets
 * that response and overwrites no later change. Writes of one user run one after another, because concurrent ones would
 * collide.
 * @param write resolves to the operation's output; it may be called more than once
 */
export async function writeOnce<Output extends object>(
  {
    models,
    caller,
    storeResponse,
  }: Pick<Context, 'models' | 'storeResponse'> & { caller?: Pick<Context['caller'], 'userId'> },
  write: (transaction: Transaction) => Promise<Output>,
): Promise<Output> {
  const run = () =>
    models.transaction(async (transaction) => {
      const output = await write(transaction);
      await storeResponse?.(output, transaction);
      return output;
    });
  if (!caller?.userId) return run();
  const askedAt = performance.now();
  return models.users.writeInOrder(caller.userId, () => {
    if (performance.now() - askedAt > queueMsMax) throw overloaded();
    return run();
  });
}
