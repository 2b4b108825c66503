/** Writes that happen once, even when their response is lost. */
import type { Context, Transaction } from '../context.ts';
import { overloaded } from '../errors.ts';

/** How long a write waits for others of its user: while MongoDB takes none, each of these lasts for seconds. */
const queueMsMax = 10_000;

/**
 * Makes a write in a transaction that stores its response too, under the caller's idempotency key. A repetition gets that
 * response, and overwrites no later change. Writes of one user run one after another, as they would collide.
 * @param write resolves to the operation's output; may be called again
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
