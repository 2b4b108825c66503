/** The door: e-mail address and password. */
import type { User } from './api.ts';
import { Field } from './field.tsx';
import { Form, textOf } from './form.tsx';
import { Icon, Logo } from './icon.tsx';
import { useAction, useShell } from './shell.ts';

interface Props {
  notice: string | null;
  onSignedIn(user: User): void;
}

export function SignIn({ notice, onSignedIn }: Props) {
  const { api } = useShell();
  const action = useAction({ isSignIn: true });
  const signIn = (values: FormData) =>
    action.run(async () => {
      const [email, password] = [textOf(values, 'email'), textOf(values, 'password')];
      const { user } = await api.session.signIn.mutate({ email, password });
      onSignedIn(user);
    });
  return (
    <main class="sign-in">
      <Logo />
      <section class="card">
        <h1>Sign in</h1>
        <p class="lede">to manage your API keys</p>
        {notice && (
          <p class="notice" role="status">
            <Icon name="alert" />
            {notice}
          </p>
        )}
        <Form label="Sign in" action={action} onSend={signIn}>
          <Field label="E-mail">
            {(ties) => <input {...ties} name="email" type="email" autocomplete="username" autofocus />}
          </Field>
          <Field label="Password">
            {(ties) => <input {...ties} name="password" type="password" autocomplete="current-password" />}
          </Field>
        </Form>
      </section>
      <p class="sign-in-foot">
        Building something? <a href="/api/v1/docs">Read the API documentation</a>
      </p>
    </main>
  );
}
