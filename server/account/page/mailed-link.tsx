/** A link by mail, for who forgot the password or has none. What it says is the same whether the address has an account. */
import { useState } from 'preact/hooks';
import { keepDestination } from './destination.ts';
import { Form, type FormField, trimmedOf } from './form.tsx';
import { useShell } from './shell.ts';

interface Props {
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
}

/** The address of the user who signs in. */
export const emailField: FormField = {
  name: 'email',
  label: 'E-mail',
  missing: 'Enter your e-mail address.',
  type: 'email',
  autocomplete: 'username',
  autofocus: true,
};

const fields = [emailField];

export function MailedLink({ isOpen, onToggle }: Props) {
  const { api } = useShell();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const send = async (values: FormData) => {
    const email = trimmedOf(values, 'email');
    await api.session.mailLink.mutate({ email });
    keepDestination();
    setSentTo(email);
  };
  const close = () => {
    setSentTo(null);
    onToggle(false);
  };
  if (!isOpen)
    return (
      <p class="note mailed-link">
        Forgot your password, or have none yet?{' '}
        <button type="button" class="link" onClick={() => onToggle(true)}>
          Get a link by e-mail
        </button>
      </p>
    );
  return (
    <>
      {sentTo === null ? (
        <Form label="Send the link" isSignIn fields={fields} send={send} />
      ) : (
        <p class="mailed-link" role="status">
          If <strong>{sentTo}</strong> has an account here, a link to sign in is on its way. It works once,
          for 15 minutes. Nothing there? Look for it among unwanted mail.
        </p>
      )}
      <p class="note mailed-link">
        <button type="button" class="link" onClick={close}>
          Back
        </button>
      </p>
    </>
  );
}
