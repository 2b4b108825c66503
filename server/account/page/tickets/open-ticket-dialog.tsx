/** Opens a ticket and goes to its conversation. */
import type { Api, Server } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { InputField, SelectField } from '../field.tsx';
import { textOf } from '../form.tsx';
import { named } from '../text.tsx';
import { useServers } from '../use-query.ts';
import { MessageField } from './answer-area.tsx';

const aboutOf = ({ name, identifier, type }: Server) => ({
  service_name: name,
  service_reference: identifier,
  service_type: type,
});

/** @param server what the ticket is about */
export function OpenTicketDialog({ server }: { server?: Server }) {
  const { servers, failure } = useServers();
  const open = async (api: Api, values: FormData) => {
    const chosen = server ?? servers?.find(({ identifier }) => identifier === textOf(values, 'server'));
    const request = { title: textOf(values, 'title'), message: textOf(values, 'message') };
    const { ticket } = await api.tickets.create.mutate({ ...request, ...(chosen && aboutOf(chosen)) });
    location.hash = `#tickets/${ticket.id}`;
  };
  return (
    <FormDialog
      title={server ? named`Open a ticket about ${server.name}` : 'Open a ticket'}
      label="Open ticket"
      draft={`ticket:${server?.identifier ?? ''}`}
      send={open}
    >
      <InputField name="title" label="Subject" missing="Give the ticket a subject." maxLength={200} />
      {!server && <ServerField servers={servers} failure={failure} />}
      <MessageField label="Message" />
    </FormDialog>
  );
}

/** Shown while the servers are loaded, so that nothing moves when they come. */
function ServerField({ servers, failure }: ReturnType<typeof useServers>) {
  if (servers?.length === 0) return null;
  const options = (servers ?? []).map(({ identifier, name }) => ({
    value: identifier,
    label: `${name} (${identifier})`,
  }));
  return (
    <SelectField
      label="Server (optional)"
      hint={failure && 'Your servers cannot be listed now. Name the server in your message.'}
      name="server"
      options={[{ value: '', label: 'Not about one server' }, ...options]}
    />
  );
}
