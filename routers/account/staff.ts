/** What the procedures of the support desk have in common. */
import { randomUUID } from 'node:crypto';
import type { SessionContext } from '../context.ts';
import { staffOnly } from '../errors.ts';
import { isStaff } from '../scopes.ts';

/** @throws insufficient_scope for who is not of the staff */
export function requireStaff({ caller }: SessionContext): void {
  if (!isStaff(caller.session.user)) throw staffOnly();
}

export const newStaffText = (
  { caller, clock, writeId }: SessionContext,
  content: { title: string; text: string },
) => ({
  ...content,
  id: writeId ?? randomUUID(),
  userId: caller.userId,
  createdAt: new Date(clock()),
});
