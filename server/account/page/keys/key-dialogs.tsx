/** Dialogs to rename and rotate a key, and to show its secret with calls to try. */
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { IssuedKey, LiveKey } from '../api.ts';
import { serviceName } from '../brand.tsx';
import { Code, scrollable } from '../code.tsx';
import { FormDialog, SecretDialog } from '../dialog.tsx';
import { Icon } from '../icon.tsx';
import { withNames } from '../text.tsx';
import { formatDateTime } from '../time.tsx';

const overlaps = [
  { hours: 24, label: 'In 24 hours', note: 'Time to deploy the new key everywhere.' },
  { hours: 1, label: 'In an hour', note: 'For one program that you restart by hand.' },
  { hours: 0, label: 'Immediately', note: 'When the old key may have leaked. Its next call is refused.' },
];

const overlapField = {
  name: 'overlap_hours',
  legend: 'The old key ends',
  type: 'radio',
  choices: overlaps.map(({ hours, label, note }) => ({
    value: hours,
    content: (
      <>
        <strong>{label}</strong>
        <span class="note">{note}</span>
      </>
    ),
  })),
  preset: [24],
} as const;

type RenameProps = { item: LiveKey; onRenamed(): Promise<unknown> };

export const RenameDialog = ({ item, onRenamed }: RenameProps) => (
  <FormDialog
    title={withNames`Rename ${item.name}`}
    label="Rename key"
    request="keys.rename"
    fields={[{ name: 'name', label: 'Name', preset: item.name, missing: 'Give the key a name.' }]}
    send={async (api, { name }) => {
      await api.keys.rename.mutate({ id: item.id, name });
      await onRenamed();
      return withNames`The key is now named ${name}.`;
    }}
  />
);

type RotateProps = { item: LiveKey; onRotated(issued: IssuedKey): Promise<unknown> };

export function RotateDialog({ item, onRotated }: RotateProps) {
  return (
    <FormDialog
      title={withNames`Rotate ${item.name}`}
      label="Rotate key"
      request="keys.rotate"
      fields={[overlapField]}
      send={async (api, given) => {
        await onRotated(await api.keys.rotate.mutate({ id: item.id, ...given }));
      }}
    >
      <p>
        You get a new secret with the same name and scopes
        {item.expires_at ? `, which expires as before on ${formatDateTime(item.expires_at)}.` : '.'} Webhooks
        of the old key move to the new one. If the old key ends immediately, they are turned off.
      </p>
    </FormDialog>
  );
}

export function KeySecretDialog({ of: { key, secret }, isRotated }: { of: IssuedKey; isRotated: boolean }) {
  const call = firstCallFor(key.scopes);
  const tabs = snippetsFor(secret, call).map(({ name, hint, text }) => ({
    name,
    content: (
      <>
        <Code key={name} text={text} what={`${name} snippet`} hint={hint} />
        {name === 'curl' && <Try secret={secret} path={call.path} />}
      </>
    ),
  }));
  return (
    <SecretDialog
      title={isRotated ? withNames`Your new key for ${key.name}` : withNames`Your key for ${key.name}`}
      secret={secret}
      what="API key"
      advice="We keep only a hash. Treat it like a password."
    >
      <h3>Make your first call</h3>
      <Tabs label="Ready-made calls" tabs={tabs} />
    </SecretDialog>
  );
}

type Answer = { status: number; text: string } | { failure: string };

/** Makes the call of the curl snippet from here, and shows the answer. */
function Try({ secret, path }: { secret: string; path: string }) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    setAnswer(await call(path, secret).catch(() => ({ failure: 'The service did not answer. Try again.' })));
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="button" aria-disabled={isBusy} onClick={() => !isBusy && run()}>
        <Icon name="play" />
        Run it
      </button>
      <p class="note" role="status">
        {answer && ('failure' in answer ? answer.failure : `The service answered ${answer.status}:`)}
      </p>
      {answer && 'text' in answer && (
        <pre class="console" translate={false} {...scrollable('Answer')}>
          {answer.text}
        </pre>
      )}
    </>
  );
}

/** Without cookies, so that the key alone decides the answer. */
async function call(path: string, secret: string): Promise<Answer> {
  const headers = { Authorization: `Bearer ${secret}` };
  const response = await fetch(path, { headers, credentials: 'omit', cache: 'no-store' });
  return { status: response.status, text: JSON.stringify(await response.json(), null, 2) };
}

/** The WAI-ARIA pattern: arrow keys move between tabs. */
function Tabs({ label, tabs }: { label: string; tabs: { name: string; content: ComponentChildren }[] }) {
  const id = useId();
  const [selected, setSelected] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    const next = (selected + step + tabs.length) % tabs.length;
    setSelected(next);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={index === selected}
            aria-controls={`${id}-panel`}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => setSelected(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="stack" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
        {tabs[selected]?.content}
      </div>
    </div>
  );
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/** The servers if the key may read them, and otherwise the key itself, which every key may. */
const firstCallFor = (scopes: readonly string[]) =>
  scopes.includes('read:account')
    ? { path: '/api/v1/servers', inTypeScript: 'servers.listMyServers', inPython: 'servers.list_my_servers' }
    : { path: '/api/v1/key', inTypeScript: 'account.getCurrentKey', inPython: 'account.get_current_key' };

type FirstCall = ReturnType<typeof firstCallFor>;

/** First calls with the key filled in, and where to paste them. The command asks for the key. */
const snippetsFor = (secret: string, { path, inTypeScript, inPython }: FirstCall, { origin } = location) => [
  { name: 'curl', hint: 'In a terminal', text: curl(secret, origin + path) },
  { name: 'Command', hint: 'In a terminal. Paste the key when it asks.', text: command(origin) },
  { name: 'TypeScript', hint: 'After npm install gamehost', text: typeScript(secret, origin, inTypeScript) },
  { name: 'Python', hint: 'After pip install gamehost', text: python(secret, origin, inPython) },
  { name: 'Claude Code', hint: 'In a terminal, once for each project', text: claudeCode(secret, origin) },
  { name: 'MCP', hint: 'In .mcp.json, for clients that read it', text: mcpConfig(secret, origin) },
];

const curl = (secret: string, url: string) => `curl -H "Authorization: Bearer ${secret}" ${url}`;

const command = (origin: string) => `npm install --global gamehost
gamehost login --url ${origin} --key -`;

const typeScript = (secret: string, origin: string, method: string) => `import { Gamehost } from 'gamehost';

const gamehost = new Gamehost({ baseUrl: '${origin}', key: '${secret}' });
console.log(await gamehost.${method}());`;

const python = (secret: string, origin: string, method: string) => `from gamehost import Gamehost

gamehost = Gamehost(base_url="${origin}", key="${secret}")
print(gamehost.${method}())`;

const claudeCode = (secret: string, origin: string) =>
  `claude mcp add --transport http ${serviceName()} ${origin}/mcp \\\n  --header "Authorization: Bearer ${secret}"`;

const mcpConfig = (secret: string, origin: string) => `{
  "mcpServers": {
    "${serviceName()}": {
      "type": "http",
      "url": "${origin}/mcp",
      "headers": { "Authorization": "Bearer ${secret}" }
    }
  }
}`;
