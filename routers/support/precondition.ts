/** Passes the caller's precondition to the store, which checks it within the write. */
import type { Context } from '../context.ts';

export const createVersionCheck = <Stored>(
  { precondition }: Pick<Context, 'precondition'>,
  presentStored: (stored: Stored) => object,
) => precondition && ((current: Stored | null) => precondition(current && presentStored(current)));
