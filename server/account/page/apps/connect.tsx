/** Asks the signed-in user whether an app may act for them, and what it may do. */
import { useEffect, useState } from 'preact/hooks';
import type { AccessRequest, Scope, User } from '../api.ts';
import { Failed } from '../failed.tsx';
import { Form } from '../form.tsx';
import { Logo } from '../icon.tsx';
import { useAction, useShell } from '../shell.ts';
import { forgetRequest } from './pending-request.ts';

interface Props {
  id: string;
  user: User;
}

export function Connect({ id, user }: Props) {
  const { api } = useShell();
  const { failure, run } = useAction();
  const [request, setRequest] = useState<AccessRequest | null>(null);
  const load = () => run(async () => setRequest(await api.apps.request.query({ request_id: id })));
  useEffect(() => void load(), [id]);
  useEffect(() => {
    if (failure) forgetRequest();
  }, [failure]);
  return (
    <main class="sign-in">
      <Logo />
      {request && <Question {...{ id, user, request }} />}
      {!request && failure && (
        <Failed
          message="The app's request has expired or was answered. Start again in the app."
          onRetry={load}
        />
      )}
    </main>
  );
}

function Question({ id, user, request }: Props & { request: AccessRequest }) {
  const { api } = useShell();
  const action = useAction();
  const [chosen, setChosen] = useState(request.scopes.map(({ scope }) => scope));
  const decide = (ask: () => Promise<{ next_url: string }>) =>
    action.run(async () => {
      const { next_url } = await ask();
      forgetRequest();
      location.assign(next_url);
    });
  const allow = () => decide(() => api.apps.allow.mutate({ request_id: id, scopes: chosen as Scope[] }));
  const deny = () => decide(() => api.apps.deny.mutate({ request_id: id }));
  const chooseReadOnly = () =>
    setChosen(request.scopes.filter(({ is_read_only }) => is_read_only).map(({ scope }) => scope));
  return (
    <section class="card connect">
      <h1>Connect {request.app.name}</h1>
      <Introduction user={user} request={request} />
      <Form label="Allow" action={action} onSubmit={allow}>
        <Scopes {...{ request, chosen, setChosen }} />
        <button type="button" class="button is-small" onClick={chooseReadOnly}>
          Reading only
        </button>
        {chosen.length === 0 && <p class="note">Choose at least one, or deny.</p>}
      </Form>
      <button type="button" class="button" onClick={deny} disabled={action.isBusy}>
        Deny
      </button>
    </section>
  );
}

function Introduction({ user, request: { app, returns_to } }: { user: User; request: AccessRequest }) {
  return (
    <p class="lede">
      <strong>{app.name}</strong> ({app.verified_host ?? 'unverified name'}) wants to use your gamehost
      account as <strong>{user.email}</strong>. It returns to <strong>{returns_to}</strong>.
    </p>
  );
}

interface ScopesProps {
  request: AccessRequest;
  chosen: string[];
  setChosen(scopes: string[]): void;
}

function Scopes({ request, chosen, setChosen }: ScopesProps) {
  const toggle = (scope: string) =>
    setChosen(chosen.includes(scope) ? chosen.filter((each) => each !== scope) : [...chosen, scope]);
  return (
    <fieldset class="field">
      <legend>It may</legend>
      <div class="choices">
        {request.scopes.map(({ scope, sentence }) => (
          <label class="choice" key={scope}>
            <input
              type="checkbox"
              name="scope"
              value={scope}
              checked={chosen.includes(scope)}
              onChange={() => toggle(scope)}
            />
            <span>
              <code>{scope}</code>
              <span class="note">{sentence}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
