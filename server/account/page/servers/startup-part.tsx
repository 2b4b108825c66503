/** How a server starts: its command, and a form for its image and variables, which names what waits for a restart. */
import { useState } from 'preact/hooks';
import type { Api, Resources, Server, Startup } from '../api.ts';
import { Code } from '../code.tsx';
import { Form } from '../form.tsx';
import { useShell } from '../shell.ts';
import { tryStorage, userKeyPrefix } from '../storage.ts';
import { useQuery } from '../use-query.ts';
import { ResourceView, Warning } from '../view.tsx';
import { startOf } from './figures.tsx';
import type { PartProps } from './part-props.ts';
import { Reinstall } from './reinstall.tsx';
import { usePower } from './server-actions.tsx';
import { fieldsOf, isSecret, StartupInput } from './startup-fields.tsx';

export function StartupPart({ server, resources, onChanged, onSent }: PartProps) {
  const { identifier: server_identifier } = server;
  const read = async (api: Api) => (await api.servers.startup.get.query({ server_identifier })).startup;
  const query = useQuery(read, { pace: () => 'on return' });
  const waiting = useWaitingChanges(server_identifier, resources);
  const onSaved = async (saved: Startup, names: string[]) => {
    waiting.add(names);
    await query.load(async () => saved);
  };
  return (
    <>
      <ResourceView of={query}>
        {(startup) => (
          <>
            <div class="panel stack">
              <Code
                text={startup.command ?? ''}
                what="command"
                hint="The server starts with this command."
                shown={hideSecrets(startup)}
              />
            </div>
            <div class="panel stack">
              <StartupForm {...{ server, startup, onSaved }} />
              <WaitingNote names={waiting.names} {...{ server, onSent }} />
            </div>
          </>
        )}
      </ResourceView>
      <Reinstall {...{ server, onChanged }} />
    </>
  );
}

const hideSecrets = (startup: Startup) =>
  fieldsOf(startup)
    .filter((field) => field.value !== '' && isSecret(field))
    .reduce((text, { value }) => text.replaceAll(value, '••••'), startup.command ?? '');

type FormProps = {
  server: Server;
  startup: Startup;
  onSaved(saved: Startup, names: string[]): Promise<void>;
};

function StartupForm({ server: { identifier: server_identifier }, startup, onSaved }: FormProps) {
  const { api, notify } = useShell();
  const [typed, setTyped] = useState<Partial<Record<string, string>>>({});
  const fields = fieldsOf(startup);
  const save = async () => {
    const changed = fields.filter(({ name, value }) => (typed[name] ?? value) !== value);
    if (changed.length === 0) return notify('Nothing has changed.');
    const { image, ...variables } = Object.fromEntries(changed.map(({ name }) => [name, typed[name] ?? '']));
    const values = Object.entries(variables).map(([name, text]) => [name.replace('variables.', ''), text]);
    const change = { variables: Object.fromEntries(values), ...(image !== undefined && { image }) };
    const saved = await api.servers.startup.change.mutate({ server_identifier, ...change });
    await onSaved(
      saved.startup,
      changed.map(({ label }) => label),
    );
    setTyped({});
    notify('Saved. It takes effect at the next start.');
  };
  return (
    <Form label="Save" send={save}>
      <div class="tiles startup-fields">
        {fields.map((field) => (
          <StartupInput
            key={field.name}
            field={field}
            typed={typed[field.name]}
            onType={(text) => setTyped((before) => ({ ...before, [field.name]: text }))}
          />
        ))}
      </div>
    </Form>
  );
}

interface WaitingChanges {
  names: string[];
  /** The last measurement before the change. */
  measured_at: string;
}

/** The changes that the running server does not have yet. The tab keeps them, so that a reload shows them too. */
function useWaitingChanges(identifier: string, resources: Resources | null) {
  const key = `${userKeyPrefix}startup:${useShell().userId}:${identifier}`;
  const [kept, setKept] = useState(() =>
    tryStorage('sessionStorage', (storage): WaitingChanges | null =>
      JSON.parse(storage.getItem(key) ?? 'null'),
    ),
  );
  const { state, measured_at = '', uptime_ms = null } = resources ?? {};
  const startedAt = state === 'running' && uptime_ms !== null ? startOf(measured_at, uptime_ms) : null;
  const isWaiting = kept !== null && startedAt !== null && startedAt <= kept.measured_at;
  const names = isWaiting ? kept.names : [];
  return {
    names,
    add(added: string[]) {
      if (startedAt === null) return;
      const changes = { measured_at, names: [...new Set([...names, ...added])] };
      setKept(changes);
      tryStorage('sessionStorage', (storage) => storage.setItem(key, JSON.stringify(changes)));
    },
  };
}

type NoteProps = Pick<PartProps, 'server' | 'onSent'> & { names: string[] };

function WaitingNote({ names, ...props }: NoteProps) {
  const { dialog, ask } = usePower(props);
  return (
    <>
      {names.length > 0 && (
        <Warning role="status">
          Changed since the server started, so not in effect yet: <bdi>{names.join(', ')}</bdi>.{' '}
          <button type="button" class="link" onClick={() => ask('restart')}>
            Restart server
          </button>
        </Warning>
      )}
      {dialog}
    </>
  );
}
