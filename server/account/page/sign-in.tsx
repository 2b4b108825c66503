/** The sign-in card: by password, at the identity provider, or by a link. */
import type { ComponentChildren } from 'preact';
import type { User } from './api.ts';
import { Field } from './field.tsx';
import { useKeptFocus } from './focus.ts';
import { Form, textOf } from './form.tsx';
import { Icon, Logo } from './icon.tsx';
import { useAction, useShell } from './shell.ts';

interface Props {
  notice: string | null;
  /** What the user signs in for. */
  purpose: string;
  /** The token of the sign-in link that the page was opened with. */
  linkToken: string | null;
  onSignedIn(user: User): void;
}

export function SignIn({ notice, purpose, linkToken, onSignedIn }: Props) {
  const { settings } = useShell();
  useKeptFocus(
    'sign-in',
    () => document.querySelector('.card input') ?? document.querySelector('.card button'),
  );
  if (linkToken !== null)
    return (
      <Card notice={notice} purpose={purpose}>
        <LinkForm token={linkToken} onSignedIn={onSignedIn} />
      </Card>
    );
  return (
    <Card notice={notice} purpose={purpose}>
      {settings.single_sign_on !== null && <SingleSignOnForm name={settings.single_sign_on} />}
      {settings.password_sign_in && <PasswordForm onSignedIn={onSignedIn} />}
      {!settings.password_sign_in && settings.single_sign_on === null && (
        <p class="note">Open this page from your host's customer area to sign in.</p>
      )}
    </Card>
  );
}

const Card = ({ notice, purpose, children }: CardProps) => (
  <main class="sign-in">
    <Logo />
    <section class="card">
      <h1>Sign in</h1>
      <p class="lede">{purpose}</p>
      {notice && (
        <p class="notice" role="status">
          <Icon name="alert" />
          {notice}
        </p>
      )}
      {children}
    </section>
    <p class="sign-in-foot">
      Building something? <a href="/api/v1/docs">Read the API documentation</a>
    </p>
  </main>
);

interface CardProps extends Pick<Props, 'notice' | 'purpose'> {
  children: ComponentChildren;
}

function PasswordForm({ onSignedIn }: Pick<Props, 'onSignedIn'>) {
  const { api } = useShell();
  const action = useAction({ isSignIn: true });
  const signIn = (values: FormData) =>
    action.run(async () => {
      const [email, password] = [textOf(values, 'email'), textOf(values, 'password')];
      const { user } = await api.session.signIn.mutate({ email, password });
      onSignedIn(user);
    });
  return (
    <Form label="Sign in" action={action} onSubmit={signIn}>
      <Field label="E-mail">
        {(inputProps) => (
          <input {...inputProps} name="email" type="email" autocomplete="username" autofocus />
        )}
      </Field>
      <Field label="Password">
        {(inputProps) => (
          <input {...inputProps} name="password" type="password" autocomplete="current-password" />
        )}
      </Field>
    </Form>
  );
}

function SingleSignOnForm({ name }: { name: string }) {
  const { api } = useShell();
  const action = useAction({ isSignIn: true });
  const start = () =>
    action.run(async () => {
      const { url } = await api.session.startSingleSignOn.mutate();
      location.assign(url);
    });
  return <Form label={`Continue with ${name}`} action={action} onSubmit={start} />;
}

/** Only the button uses the link, so that a preview of its address does not. */
function LinkForm({ token, onSignedIn }: { token: string } & Pick<Props, 'onSignedIn'>) {
  const { api } = useShell();
  const action = useAction({ isSignIn: true });
  const signIn = () =>
    action.run(async () => {
      const { user } = await api.session.signInByLink.mutate({ token });
      onSignedIn(user);
    });
  return <Form label="Continue" action={action} onSubmit={signIn} />;
}
