/** Asks the signed-in user whether an app may act for them, and what it may do. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type AccessRequest, codeOf, endSession, type Scope, type User } from '../api.ts';
import { hostName } from '../brand.tsx';
import { MainButton } from '../controls.tsx';
import { ProblemsContext } from '../field.tsx';
import { useInvalidField } from '../focus.ts';
import { FailureNotice } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { presetsWithin, ScopeField } from '../scopes.tsx';
import { useAction, useShell } from '../shell.ts';
import { Warning } from '../view.tsx';
import { AppIdentity } from './connected-apps.tsx';

interface Props {
  id: string;
  user: User;
  request: AccessRequest;
  onOutcome(outcome: Decided | 'ended'): void;
  onSignedOut(): void;
}

export function Consent({ id, user, request, onOutcome, onSignedOut }: Props) {
  const { api } = useShell();
  const { action, decide } = useDecision(id, onOutcome);
  const { isBusy } = action;
  const [chosen, setChosen] = useState(request.scopes.map(({ scope }) => scope));
  const [problem, setProblem] = useState<string>();
  const { container, onSubmitted } = useInvalidField<HTMLElement>();
  const allow = () => {
    setProblem(chosen.length === 0 ? 'Tick at least one, or deny.' : undefined);
    onSubmitted();
    if (chosen.length > 0) decide('allowed', () => api.apps.allow.mutate({ request_id: id, scopes: chosen }));
  };
  const deny = () => decide('denied', () => api.apps.deny.mutate({ request_id: id }));
  const choose = (scopes: Scope[]) => {
    setProblem(undefined);
    setChosen(scopes);
  };
  return (
    <section ref={container} class="card consent">
      <h1 tabIndex={-1}>Connect an app</h1>
      <Introduction request={request} email={user.email}>
        <button type="button" class="link" onClick={() => action.run(() => endSession(api, onSignedOut))}>
          Use another account
        </button>
      </Introduction>
      <ProblemsContext.Provider value={{ scope: problem }}>
        <Permissions {...{ request, chosen }} onChoose={choose} />
      </ProblemsContext.Provider>
      <FailureNotice of={action} />
      <p class="note">You can end this at any time under Connected apps. It expires in 180 days.</p>
      {/* Outside a form: in a form, Enter in a checkbox would press Allow. */}
      <div class="form-actions">
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => !isBusy && deny()}>
          Deny
        </button>
        <MainButton type="button" label="Allow" isBusy={isBusy} onClick={() => !isBusy && allow()} />
      </div>
    </section>
  );
}

type Decided = 'allowed' | 'denied';

/** Sends the answer, then sends the browser to the authorization server, which redirects to the app. */
function useDecision(id: string, onOutcome: Props['onOutcome']) {
  const action = useAction();
  const decide = (outcome: Decided, send: () => Promise<unknown>) =>
    void action.run(async () => {
      try {
        await send();
        onOutcome(outcome);
        location.assign(`/oauth/authorize/${encodeURIComponent(id)}`);
      } catch (failure) {
        if (codeOf(failure) !== 'not_found') throw failure;
        onOutcome('ended');
      }
    });
  return { action, decide };
}

type IntroductionProps = { request: AccessRequest; email: string; children: ComponentChildren };

const Introduction = ({ request: { app, returns_to }, email, children }: IntroductionProps) => (
  <>
    <AppIdentity app={app}>
      {app.verified_host === null && <p class="note">An app that calls itself</p>}
    </AppIdentity>
    <p>
      wants to use your {hostName()} account as <strong>{email}</strong>. It returns to{' '}
      <strong>{returns_to}</strong>
      {isOfDevice(returns_to) && ', on this device'}. {children}
    </p>
    {app.verified_host === null && (
      <Warning>Any app can take this name. Allow it only if you have just started it yourself.</Warning>
    )}
  </>
);

/** A loopback host, or an app's scheme. */
const isOfDevice = (destination: string) => /^(localhost|127\.[\d.]+|\[::1\])$|:$/.test(destination);

type PermissionsProps = { request: AccessRequest; chosen: Scope[]; onChoose(scopes: Scope[]): void };

/** All requested scopes stay listed in plain words, so that a narrower choice moves nothing. */
function Permissions({ request: { scopes, other_scopes }, chosen, onChoose }: PermissionsProps) {
  const requested = scopes.map(({ scope }) => scope);
  const added = other_scopes.filter(({ scope }) => chosen.includes(scope));
  return (
    <>
      <h3>This app will be able to</h3>
      <ul class="granted">
        {[...scopes, ...added].map(({ scope, sentence }) => (
          <li key={scope}>
            <Icon name={chosen.includes(scope) ? 'check' : 'close'} />
            {chosen.includes(scope) ? <span>{sentence}</span> : <NotAllowed sentence={sentence} />}
          </li>
        ))}
      </ul>
      <ScopeField
        name="scope"
        legend="You allow"
        scopes={scopes}
        others={{ legend: 'Not requested. Tick any you also want to allow', scopes: other_scopes }}
        preset={requested}
        presets={presetsWithin(requested)}
        onChoose={onChoose}
      />
    </>
  );
}

const NotAllowed = ({ sentence }: { sentence: string }) => (
  <s>
    <span class="visually-hidden">Not allowed: </span>
    {sentence}
  </s>
);
