/** Who of the staff works on a ticket, and taking or releasing it. */
import type { Ticket } from '../api.ts';
import { FailureNotice } from '../form.tsx';
import { useAction, useShell } from '../shell.ts';
import { nameOf } from './desk.ts';

interface Props {
  ticket: Ticket;
  onChange(): Promise<unknown>;
}

export function Assignee({ ticket: { id, assignee = null }, onChange }: Props) {
  const { api, userId } = useShell();
  const action = useAction();
  const isMine = assignee?.id === userId;
  const change = async () => {
    if (action.isBusy) return;
    const request = { ticket_id: id, assigned: !isMine, expected: assignee?.id ?? null };
    await action.run(async () => void (await api.admin.assignTicket.mutate(request)));
    await onChange();
  };
  return (
    <div class="assignee">
      <p class={assignee && !isMine ? 'is-others' : undefined} role="status">
        {assignee === null && 'Nobody works on this ticket'}
        {isMine && 'You work on this ticket'}
        {assignee && !isMine && (
          <>
            <bdi>{nameOf(assignee)}</bdi> works on this ticket
          </>
        )}
      </p>
      <button type="button" class="button is-small" aria-disabled={action.isBusy} onClick={change}>
        {isMine ? 'Release' : assignee ? 'Take over' : 'Take'}
      </button>
      <FailureNotice of={action} />
    </div>
  );
}
