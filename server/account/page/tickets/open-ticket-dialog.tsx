/** Opens a ticket and goes to its conversation. */
import { useState } from 'preact/hooks';
import type { Server } from '../api.ts';
import { DialogForm } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { textOf } from '../form.tsx';
import { useServers } from '../restriction-fields.tsx';
import { useAction, useShell } from '../shell.ts';
import { MessageField, messageProblemOf } from './message-field.tsx';

interface Problems {
  title?: string | undefined;
  message?: string | undefined;
}

const problemsOf = (values: FormData): Problems => ({
  title: textOf(values, 'title').trim() === '' ? 'Give the ticket a subject.' : undefined,
  message: messageProblemOf(values),
});

interface Props {
  /** What the ticket is about. */
  server?: Server;
  onClose(): void;
}

const aboutOf = ({ name, identifier, type }: Server) => ({
  ...{ service_name: name, service_reference: identifier, service_type: type },
});

export function OpenTicketDialog({ server, onClose }: Props) {
  const { api } = useShell();
  const action = useAction();
  const [problems, setProblems] = useState<Problems>({});
  const { servers, failure } = useServers();
  const open = (values: FormData) => {
    const found = problemsOf(values);
    setProblems(found);
    if (found.title || found.message) return undefined;
    return action.run(async () => {
      const chosen = server ?? servers?.find(({ identifier }) => identifier === textOf(values, 'server'));
      const request = { title: textOf(values, 'title'), message: textOf(values, 'message') };
      const { ticket } = await api.tickets.create.mutate({
        ...request,
        ...(chosen && aboutOf(chosen)),
      });
      location.hash = `#tickets/${ticket.id}`;
    });
  };
  return (
    <DialogForm
      title={titleOf(server)}
      label="Open ticket"
      draft={`ticket:${server?.identifier ?? ''}`}
      fieldCount={servers?.length ?? 0}
      action={action}
      onSubmit={open}
      onInput={() => setProblems({})}
      onClose={onClose}
    >
      <Field label="Subject" error={problems.title}>
        {(inputProps) => (
          <input {...inputProps} name="title" dir="auto" maxLength={200} autocomplete="off" autofocus />
        )}
      </Field>
      {!server && <ServerField servers={servers} failure={failure} />}
      <MessageField label="Message" error={problems.message} />
    </DialogForm>
  );
}

/** Shown while the servers are loaded, so that nothing moves when they come. */
function ServerField({ servers, failure }: ReturnType<typeof useServers>) {
  if (servers?.length === 0) return null;
  return (
    <Field
      label="Server (optional)"
      hint={failure && 'Your servers cannot be listed now. Name the server in your message.'}
    >
      {(inputProps) => (
        <select {...inputProps} name="server">
          <option value="">Not about one server</option>
          {servers?.map(({ identifier, name }) => (
            <option key={identifier} value={identifier} dir="auto">
              {name} ({identifier})
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const titleOf = (server: Props['server']) =>
  server ? (
    <>
      Open a ticket about <bdi>{server.name}</bdi>
    </>
  ) : (
    'Open a ticket'
  );
