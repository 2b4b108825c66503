/** A server's console: its last lines, new ones as they come, and a command line if the service allows commands. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { consoleLinesMax } from '../../../../models/bounds.ts';
import type { Api, Server } from '../api.ts';
import { scrollable } from '../code.tsx';
import { Form } from '../form.tsx';
import { serverAddress } from '../route.ts';
import { useShell } from '../shell.ts';
import { useQuery } from '../use-query.ts';
import { ResourceView } from '../view.tsx';

/** The service reads a console at most this often. */
const pollMs = 5000;

export function ConsolePart({ server: { identifier, name } }: { server: Server }) {
  const { settings } = useShell();
  const shown = useRef<readonly ConsoleLine[]>([]);
  const read = async (api: Api) => {
    const request = { server_identifier: identifier, lines: consoleLinesMax };
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
            <ConsoleNote {...{ identifier, state, reason }} />
            <Lines lines={lines} label={`Console of ${name}`} />
          </>
        )}
      </ResourceView>
      {settings.console_commands && <CommandForm identifier={identifier} onSent={query.refresh} />}
    </>
  );
}

type NoteProps = { identifier: string; state: string; reason: string | undefined };

function ConsoleNote({ identifier, state, reason }: NoteProps) {
  if (reason !== undefined) return <p class="note">{reason}</p>;
  if (state !== 'offline') return null;
  return (
    <p class="note" role="status">
      The server is off, so its console shows nothing new until you start it. Its last lines may be in a log
      among <a href={serverAddress(identifier, { partName: 'files' })}>its files</a>.
    </p>
  );
}

/** Stays scrolled to the end unless the user has scrolled away from it. */
function Lines({ lines, label }: { lines: readonly ConsoleLine[]; label: string }) {
  const element = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (element.current && isAtEnd.current) element.current.scrollTop = element.current.scrollHeight;
  }, [lines]);
  const onScroll = ({ currentTarget: shown }: { currentTarget: Element }) => {
    isAtEnd.current = shown.scrollHeight - shown.scrollTop - shown.clientHeight < 16;
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

function CommandForm(props: { identifier: string; onSent(): Promise<unknown> }) {
  const { api } = useShell();
  return (
    <div class="command-line">
      <Form
        label="Send"
        request="servers.console.send"
        fields={[commandField]}
        send={async (given, { form }) => {
          await api.servers.console.send.mutate({ server_identifier: props.identifier, ...given });
          form.reset();
          await props.onSent();
        }}
      />
    </div>
  );
}

const commandField = {
  name: 'command',
  label: 'Command',
  missing: 'Type a command.',
  autocapitalize: 'none',
  spellcheck: false,
} as const;

interface ConsoleLine {
  number: number;
  text: string;
}

const keptMax = 1000;

/**
 * @param found the newest lines of the console; the first ones may be shown already
 * @returns `shown` itself if nothing is new
 */
function joinLines(shown: readonly ConsoleLine[], found: readonly string[]): readonly ConsoleLine[] {
  const added = found.slice(overlapOf(shown, found));
  if (added.length === 0) return shown;
  const next = (shown.at(-1)?.number ?? 0) + 1;
  const lines = added.map((text, index) => ({ number: next + index, text }));
  return [...shown, ...lines].slice(-keptMax);
}

/** The number of lines that are both the last of `shown` and the first of `found`. */
function overlapOf(shown: readonly ConsoleLine[], found: readonly string[]): number {
  for (let length = Math.min(shown.length, found.length); length > 0; length -= 1) {
    const start = shown.length - length;
    if (found.slice(0, length).every((text, index) => shown[start + index]?.text === text)) return length;
  }
  return 0;
}
