/** Dialogs to rotate a key and to show its secret. */
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { IssuedKey, LiveKey } from '../api.ts';
import { serviceName } from '../brand.tsx';
import { Code } from '../code.tsx';
import { FormDialog, SecretDialog } from '../dialog.tsx';
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
  const tabs = snippetsFor(secret, location.origin).map(({ name, hint, text }) => ({
    name,
    content: <Code key={name} text={text} what={`${name} snippet`} hint={hint} />,
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
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
        {tabs[selected]?.content}
      </div>
    </div>
  );
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/** First calls with the key filled in, and where to paste them. Each reads only what every key may read. */
const snippetsFor = (secret: string, origin: string) => [
  { name: 'curl', hint: 'In a terminal', text: curl(secret, origin) },
  { name: 'TypeScript', hint: 'With @trpc/client, typed from end to end', text: typeScript(secret, origin) },
  { name: 'Claude Code', hint: 'In a terminal, once for each project', text: claudeCode(secret, origin) },
  { name: 'MCP', hint: 'In .mcp.json, for clients that read it', text: mcpConfig(secret, origin) },
];

const curl = (secret: string, origin: string) =>
  `curl -H "Authorization: Bearer ${secret}" \\\n  ${origin}/api/v1/key`;

const typeScript = (
  secret: string,
  origin: string,
) => `import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { AppRouter } from './gamehost.js'; // curl ${origin}/trpc/types.d.ts -o gamehost.d.ts

const headers = { Authorization: 'Bearer ${secret}' };
const links = [httpBatchLink({ url: '${origin}/trpc', headers })];
const gamehost = createTRPCClient<AppRouter>({ links });

console.log(await gamehost.keys.current.query());`;

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
