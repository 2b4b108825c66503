/** Opens a ticket and goes to its conversation. */
import type { Server } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { textOf } from '../fields.tsx';
import { withNames } from '../text.tsx';
import { useServers } from '../use-query.ts';
import { messageField } from './answer-area.tsx';

const aboutOf = ({ name, identifier, type }: Server) => ({
  service_name: name,
  service_reference: identifier,
  service_type: type,
});

export function OpenTicketDialog({ server }: { server?: Server }) {
  const { servers, failure } = useServers();
  return (
    <FormDialog
      title={server ? withNames`Open a ticket about ${server.name}` : 'Open a ticket'}
      label="Open ticket"
      draft={`ticket:${server?.identifier ?? ''}`}
      request="tickets.create"
      fields={[
        { name: 'title', label: 'Subject', missing: 'Give the ticket a subject.' },
        // Shown while the servers load, so that nothing moves when they arrive.
        !server && servers?.length !== 0 && serverField({ servers, failure }),
        { name: 'message', label: 'Message', ...messageField },
      ]}
      send={async (api, given, values) => {
        const chosen = server ?? servers?.find(({ identifier }) => identifier === textOf(values, 'server'));
        const { ticket } = await api.tickets.create.mutate({ ...given, ...(chosen && aboutOf(chosen)) });
        location.hash = `#tickets/${ticket.id}`;
      }}
    />
  );
}

const serverField = ({ servers, failure }: ReturnType<typeof useServers>) => ({
  name: 'server' as const,
  label: 'Server (optional)',
  hint: failure && 'Your servers cannot be listed now. Name the server in your message.',
  options: [
    { value: '', label: 'Not about one server' },
    ...(servers ?? []).map(({ identifier, name }) => ({
      value: identifier,
      label: `${name} (${identifier})`,
    })),
  ],
});
