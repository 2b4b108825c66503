/** A server's console: what it has written, what comes while the page shows it, and a command line where commands are on. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { consoleLinesMax } from '../../../../models/bounds.ts';
import type { Api } from '../api.ts';
import { scrollable } from '../code.tsx';
import { Form, type FormField, trimmedOf } from '../form.tsx';
import { ResourceView } from '../resource-view.tsx';
import { serverAddress } from '../route.ts';
import { useShell } from '../shell.ts';
import { useQuery } from '../use-query.ts';
import { type ConsoleLine, joinLines } from './console-lines.ts';
import type { PartProps } from './part.ts';

/** The service reads a console no more often. */
const pollMs = 5000;

export function ConsolePart({ server }: PartProps) {
  const { identifier: server_identifier, name } = server;
  const { settings } = useShell();
  const shown = useRef<readonly ConsoleLine[]>([]);
  const read = async (api: Api) => {
    const request = { server_identifier, lines: consoleLinesMax };
    const { state, reason, lines } = (await api.servers.console.get.query(request)).console;
    shown.current = joinLines(shown.current, lines);
    return { state, reason, lines: shown.current };
  };
  const query = useQuery(read, { pace: () => pollMs });
  return (
    <>
      <ResourceView of={query}>
        {({ state, reason, lines }) => (
          <>
            <ConsoleNote identifier={server_identifier} state={state} reason={reason} />
            <Lines lines={lines} label={`Console of ${name}`} />
          </>
        )}
      </ResourceView>
      {settings.console_commands && (
        <CommandForm server_identifier={server_identifier} onSent={query.refresh} />
      )}
    </>
  );
}

interface NoteProps {
  identifier: string;
  state: string;
  reason: string | undefined;
}

function ConsoleNote({ identifier, state, reason }: NoteProps) {
  if (reason !== undefined) return <p class="note">{reason}</p>;
  if (state !== 'offline') return null;
  return (
    <p class="note" role="status">
      It is off, and its console shows nothing new until it starts. What it wrote last may be in a log among{' '}
      <a href={serverAddress(identifier, { place: 'files' })}>its files</a>.
    </p>
  );
}

/** Stays at its end, unless the user has scrolled away from there. */
function Lines({ lines, label }: { lines: readonly ConsoleLine[]; label: string }) {
  const element = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (element.current && isAtEnd.current) element.current.scrollTop = element.current.scrollHeight;
  }, [lines]);
  const onScroll = ({
    currentTarget: { scrollHeight, scrollTop, clientHeight },
  }: {
    currentTarget: Element;
  }) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 16;
  };
  return (
    <div ref={element} class="console" translate={false} {...scrollable(label)} onScroll={onScroll}>
      {lines.map(({ number, text }) => (
        <div key={number} dir="auto">
          {text}
        </div>
      ))}
      {lines.length === 0 && <p>Nothing yet</p>}
    </div>
  );
}

const commandField: FormField = {
  name: 'command',
  label: 'Command',
  missing: 'Type a command.',
  maxLength: 500,
  autocomplete: 'off',
  autocapitalize: 'none',
  spellcheck: false,
};

interface CommandProps {
  server_identifier: string;
  onSent(): Promise<unknown>;
}

function CommandForm({ server_identifier, onSent }: CommandProps) {
  const { api } = useShell();
  const send = async (values: FormData, form: HTMLFormElement) => {
    await api.servers.console.send.mutate({ server_identifier, command: trimmedOf(values, 'command') });
    form.reset();
    await onSent();
  };
  return (
    <div class="command-line">
      <Form label="Send" fields={[commandField]} send={send} />
    </div>
  );
}
