/** Shows the secret of a new key, with ready-made calls. */
import type { IssuedKey } from './api.ts';
import { Code } from './code.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { snippetsFor } from './snippets.ts';
import { Tabs } from './tabs.tsx';

interface Props {
  issued: IssuedKey;
  isRotated: boolean;
  onClose(): void;
}

export function KeySecretDialog({ issued: { key, secret }, isRotated, onClose }: Props) {
  const snippets = snippetsFor(secret, location.origin);
  return (
    <SecretDialog
      title={
        <>
          {isRotated ? 'Your new key' : 'Your key'} for <bdi>{key.name}</bdi>
        </>
      }
      secret={secret}
      what="API key"
      advice="We keep only a hash. Treat it like a password."
      onClose={onClose}
    >
      <h3>Make your first call</h3>
      <Tabs
        label="Ready-made calls"
        tabs={snippets.map(({ name, hint, text }) => ({
          name,
          content: <Code key={name} text={text} what={`${name} snippet`} hint={hint} />,
        }))}
      />
    </SecretDialog>
  );
}
