/**
 * Asks for a second factor: an app's code, a passkey or a recovery code, at sign-in and before requests that need one.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FactorKind, SecondFactorResult } from '../api.ts';
import { focus, useFocusInside } from '../focus.ts';
import { FailureNotice, Form } from '../form.tsx';
import { useAction, useShell } from '../shell.ts';
import { type PasskeyAnswer, showPasskey, usePasskeyAutofill, usePasskeySupport } from './passkeys.ts';

type Way = FactorKind | 'recovery';

export interface SecondFactorFormProps {
  kinds: readonly FactorKind[];
  onShown(shown: SecondFactorResult): Promise<unknown>;
  onRefused?(failure: unknown): Promise<void>;
}

/** Shows one kind, with links to the others. */
export function SecondFactorForm({ kinds, onShown, onRefused }: SecondFactorFormProps) {
  const { api } = useShell();
  const hasPasskeys = usePasskeySupport() && kinds.includes('passkey');
  const ways: Way[] = [
    ...(kinds.includes('app') ? ['app' as const] : []),
    ...(hasPasskeys ? ['passkey' as const] : []),
    'recovery',
  ];
  const [chosen, setWay] = useState<Way | null>(null);
  const way = chosen ?? ways[0] ?? 'recovery';
  const show = async (factor: Parameters<typeof api.session.showFactor.mutate>[0]) => {
    try {
      await onShown(await api.session.showFactor.mutate(factor));
    } catch (failure) {
      await onRefused?.(failure);
      throw failure;
    }
  };
  const container = useBeginning(chosen);
  return (
    <div ref={container} class="stack">
      {way === 'passkey' ? (
        <Form key={way} label="Use a passkey" send={async () => show(await showPasskey(api))}>
          <p>Your browser asks for your finger, face or PIN.</p>
        </Form>
      ) : (
        <Form key={way} label="Continue" request={request} fields={[codeFields[way]]} send={show} />
      )}
      {kinds.includes('passkey') && !hasPasskeys && (
        <p class="note">Your passkeys do not work in this browser or at this address.</p>
      )}
      <OtherWays ways={ways.filter((other) => other !== way)} onChoose={setWay} />
    </div>
  );
}

/** Focuses the first control. If the user chose a passkey, asks the browser at once. */
function useBeginning(chosen: Way | null) {
  const container = useRef<HTMLDivElement>(null);
  const findFirst = () => container.current?.querySelector('.input, .button');
  useFocusInside(container, findFirst);
  useEffect(() => focus(findFirst()), []);
  useEffect(() => {
    if (chosen === 'passkey') container.current?.querySelector('form')?.requestSubmit();
  }, [chosen]);
  return container;
}

/** Digits only; password managers and phones can fill it in. */
export const appCodeField = {
  name: 'code',
  label: 'Code from your authenticator app',
  hint: 'Six digits, new every 30 seconds. The clock of your device must be right.',
  missing: 'Enter the code that your authenticator app shows.',
  inputMode: 'numeric',
  autocomplete: 'one-time-code',
  autofocus: true,
} as const;

const recoveryCodeField = {
  name: 'code',
  label: 'Recovery code',
  hint: 'One of the ten that you saved. Each works once.',
  missing: 'Enter one of your recovery codes.',
  autocapitalize: 'none',
  spellcheck: false,
  autofocus: true,
} as const;

const codeFields = { app: appCodeField, recovery: recoveryCodeField };

const request = 'session.showFactor';

const wayLabels: Record<Way, string> = {
  app: 'Use a code from your authenticator app',
  passkey: 'Use a passkey',
  recovery: 'Lost it? Use a recovery code',
};

const OtherWays = ({ ways, onChoose }: { ways: Way[]; onChoose(way: Way): void }) => (
  <>
    {ways.map((way) => (
      <p key={way} class="note">
        <button type="button" class="link" onClick={() => onChoose(way)}>
          {wayLabels[way]}
        </button>
      </p>
    ))}
  </>
);

/** Signs in with a passkey alone: by the button, or by the browser's suggestion in the e-mail field. */
export function PasskeySignIn({ onShown }: Pick<SecondFactorFormProps, 'onShown'>) {
  const { api } = useShell();
  const { run, ...action } = useAction();
  const signIn = (answer: PasskeyAnswer | Promise<PasskeyAnswer>) =>
    run(async () => void (await onShown(await api.session.showFactor.mutate(await answer))));
  const offerAgain = usePasskeyAutofill(signIn);
  const press = () => !action.isBusy && signIn(showPasskey(api)).then(offerAgain);
  return (
    <div class="form">
      <FailureNotice of={action} />
      <button type="button" class="button" aria-disabled={action.isBusy} onClick={press}>
        Use a passkey
      </button>
    </div>
  );
}
