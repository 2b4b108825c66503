/** The dialog open over the list of keys. */
import type { IssuedKey, KeyList, LiveKey, OverlapHours } from '../api.ts';
import { Code } from '../code.tsx';
import { ConfirmDialog, FormDialog } from '../dialog.tsx';
import { Choices } from '../field.tsx';
import { textOf } from '../form.tsx';
import { named } from '../named.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { useShell } from '../shell.ts';
import { Tabs } from '../tabs.tsx';
import { agoOf, momentOf } from '../time.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { snippetsFor } from './snippets.ts';

export type OpenDialog =
  | { is: 'create' }
  | { is: 'rotate' | 'revoke'; item: LiveKey }
  | { is: 'secret'; issued: IssuedKey; isRotated: boolean }
  | null;

interface Props {
  open: OpenDialog;
  setOpen(open: OpenDialog): void;
  reload(): Promise<unknown>;
  keys: KeyList;
}

export function KeyDialog({ open, setOpen, reload, keys }: Props) {
  const onClose = () => setOpen(null);
  const showSecret = async (issued: IssuedKey, isRotated: boolean) => {
    setOpen({ is: 'secret', issued, isRotated });
    await reload();
  };
  if (open?.is === 'create')
    return <CreateKeyDialog {...{ keys, onClose }} onCreated={(issued) => showSecret(issued, false)} />;
  if (open?.is === 'rotate')
    return (
      <RotateDialog item={open.item} onClose={onClose} onRotated={(issued) => showSecret(issued, true)} />
    );
  if (open?.is === 'revoke') return <RevokeDialog item={open.item} onClose={onClose} onRevoked={reload} />;
  if (open?.is === 'secret') return <KeySecretDialog {...open} onClose={onClose} />;
  return null;
}

interface DialogProps {
  item: LiveKey;
  onClose(): void;
}

function RevokeDialog({ item, onClose, onRevoked }: DialogProps & { onRevoked: Props['reload'] }) {
  const { api } = useShell();
  const revoke = async () => {
    await api.keys.revoke.mutate({ id: item.id });
    await onRevoked();
    return named`${item.name} is revoked.`;
  };
  return (
    <ConfirmDialog
      title={named`Revoke ${item.name}?`}
      verb="Revoke key"
      isDangerous
      act={revoke}
      onClose={onClose}
    >
      <p>
        Every call with <code class="prefix">{item.prefix}…</code> is refused from now on, and webhooks that
        it made are turned off. This cannot be undone.
      </p>
      <p class="note">
        {item.last_used_at ? `It was last used ${agoOf(item.last_used_at)}.` : 'It was never used.'}
      </p>
    </ConfirmDialog>
  );
}

const overlaps: { hours: OverlapHours; label: string; note: string }[] = [
  { hours: 24, label: 'In 24 hours', note: 'Time to deploy the new key everywhere.' },
  { hours: 1, label: 'In an hour', note: 'For one program that you restart by hand.' },
  { hours: 0, label: 'Immediately', note: 'When the old key may have leaked. Its next call is refused.' },
];

const defaultHours = 24;

const overlapChoices = overlaps.map(({ hours, label, note }) => ({
  value: hours,
  content: (
    <>
      <strong>{label}</strong>
      <span class="note">{note}</span>
    </>
  ),
}));

interface RotateProps extends DialogProps {
  onRotated(issued: IssuedKey): Promise<unknown>;
}

/** The user chooses how long the old key stays valid. */
function RotateDialog({ item, onClose, onRotated }: RotateProps) {
  const { api } = useShell();
  const rotate = async (values: FormData) => {
    const chosen = overlaps.find(({ hours }) => String(hours) === textOf(values, 'overlap'));
    const overlap_hours = chosen?.hours ?? defaultHours;
    await onRotated(await api.keys.rotate.mutate({ id: item.id, overlap_hours }));
  };
  return (
    <FormDialog title={named`Rotate ${item.name}`} label="Rotate key" send={rotate} onClose={onClose}>
      {() => (
        <>
          <p>
            You get a new secret with the same name and scopes
            {item.expires_at ? `, which expires as before on ${momentOf(item.expires_at)}.` : '.'} Webhooks
            that it made go to the new key; where the old one ends immediately, they are turned off.
          </p>
          <Choices
            legend="The old key ends"
            type="radio"
            name="overlap"
            choices={overlapChoices}
            preset={[defaultHours]}
          />
        </>
      )}
    </FormDialog>
  );
}

interface SecretProps {
  issued: IssuedKey;
  isRotated: boolean;
  onClose(): void;
}

/** The secret of a new key, with ready-made calls. */
function KeySecretDialog({ issued: { key, secret }, isRotated, onClose }: SecretProps) {
  const tabs = snippetsFor(secret, location.origin).map(({ name, hint, text }) => ({
    name,
    content: <Code key={name} text={text} what={`${name} snippet`} hint={hint} />,
  }));
  return (
    <SecretDialog
      title={isRotated ? named`Your new key for ${key.name}` : named`Your key for ${key.name}`}
      secret={secret}
      what="API key"
      advice="We keep only a hash. Treat it like a password."
      onClose={onClose}
    >
      <h3>Make your first call</h3>
      <Tabs label="Ready-made calls" tabs={tabs} />
    </SecretDialog>
  );
}
