/** How a procedure hands its caller's precondition to the store, which asks within the write. */
import type { Context } from '../context.ts';

/**
 * Undefined where the caller sets no condition.
 * @param presentStored as the operation shows the resource
 */
export const createVersionCheck = <Stored>(
  { precondition }: Pick<Context, 'precondition'>,
  presentStored: (stored: Stored) => object,
) => precondition && ((current: Stored | null) => precondition(current && presentStored(current)));
