/** Adds a second factor, and shows the recovery codes that come with the first one. */
import { useRef } from 'preact/hooks';
import { encode } from 'uqr';
import type { PendingAuthenticatorApp } from '../api.ts';
import { hostName } from '../brand.tsx';
import { Code } from '../code.tsx';
import { Dialog, FormDialog, SecretDialog } from '../dialog.tsx';
import { useQuery } from '../use-query.ts';
import { ResourceView } from '../view.tsx';
import { createPasskey } from './passkeys.ts';
import { appCodeField } from './second-factor-form.tsx';

type AddProps = { onAdded(recoveryCodes: string[]): void };

export const nameField = (preset: string) =>
  ({ name: 'name', label: 'Name', missing: 'Enter a name.', preset }) as const;

export function AddAuthenticatorApp({ onAdded }: AddProps) {
  const begun = useRef<PendingAuthenticatorApp>(null);
  // A repeated request, as after a lost connection, returns the same secret, which may be scanned already.
  const query = useQuery(async (api) => {
    begun.current ??= await api.factors.beginAuthenticatorApp.mutate();
    return begun.current;
  });
  return query.content ? (
    <FormDialog
      title="Add an authenticator app"
      label="Add"
      request="factors.addAuthenticatorApp"
      fields={[appCodeField, nameField('Phone')]}
      send={async (api, given) => {
        const { token } = query.content ?? { token: '' };
        onAdded((await api.factors.addAuthenticatorApp.mutate({ ...given, token })).recovery_codes);
      }}
    >
      <p>
        Scan this picture with an authenticator app on your phone, or{' '}
        <a href={query.content.uri}>open an app on this device</a>.
      </p>
      <QrCode text={query.content.uri} />
      <Code
        text={query.content.secret}
        what="secret"
        hint="Or type this secret into the app"
        shown={inGroups(query.content.secret)}
      />
    </FormDialog>
  ) : (
    <Dialog title="Add an authenticator app">
      <ResourceView of={query} placeholder={<p class="note">Loading</p>}>
        {() => null}
      </ResourceView>
    </Dialog>
  );
}

/** Grouped by style alone, so that copied text contains no blanks. */
const inGroups = (secret: string) =>
  secret.match(/.{1,4}/g)?.map((group, index) => (
    <span key={index} class="group">
      {group}
    </span>
  ));

/** Dark on white in either color scheme, because cameras need it. */
function QrCode({ text }: { text: string }) {
  const { size, data } = encode(text, { ecc: 'M', border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code with the secret">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

export const AddPasskey = ({ onAdded }: AddProps) => (
  <FormDialog
    title="Add a passkey"
    label="Add a passkey"
    request="factors.addPasskey"
    fields={[nameField('This device')]}
    send={async (api, given) => {
      const passkey = await createPasskey(api);
      onAdded((await api.factors.addPasskey.mutate({ ...given, passkey })).recovery_codes);
    }}
  >
    <p>
      Your browser then asks for your finger, face or PIN, or for a security key. A passkey signs in alone,
      without your password.
    </p>
  </FormDialog>
);

export function RecoveryCodesDialog({ codes }: { codes: string[] }) {
  const text = codes.join('\n');
  return (
    <SecretDialog
      title="Your recovery codes"
      secret={text}
      what="recovery codes"
      advice="Each works once, in place of a second factor that you have lost. Keep them apart from it, on paper for example."
    >
      <p class="actions">
        <a
          class="button"
          download={`recovery-codes-${hostName()}.txt`}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`}
        >
          Download
        </a>
      </p>
    </SecretDialog>
  );
}
