/** Shows a new secret, once, with ready-made calls. The page keeps it nowhere else. */
import type { IssuedKey } from './api.ts';
import { Code } from './code.tsx';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { snippetsFor } from './snippets.ts';
import { Tabs } from './tabs.tsx';

interface Props {
  issued: IssuedKey;
  isRotated: boolean;
  onClose(): void;
}

export function SecretDialog({ issued: { key, secret }, isRotated, onClose }: Props) {
  const snippets = snippetsFor(secret, location.origin);
  return (
    <Dialog title={`${isRotated ? 'Your new key' : 'Your key'} for ${key.name}`} isWide>
      <p class="notice is-warning">
        <Icon name="warning" />
        <span>
          <strong>Copy it now: it will not be shown again.</strong> We keep only a hash. Treat it like a
          password.
        </span>
      </p>
      <Code text={secret} what="API key" />
      <h3>Make your first call</h3>
      <Tabs
        label="Ready-made calls"
        tabs={snippets.map(({ name, hint, text }) => ({
          name,
          content: <Code key={name} text={text} what={`${name} snippet`} hint={hint} />,
        }))}
      />
      <div class="form-actions">
        <button type="button" class="button is-primary" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Dialog>
  );
}
