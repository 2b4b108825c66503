/** Passkeys as the browser makes and uses them. */
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser';
import { useEffect } from 'preact/hooks';
import { type Api, PasskeyFailure } from '../api.ts';
import { useShell } from '../shell.ts';

/** Whether passkeys work here: with this browser, and at this address. */
export const usePasskeySupport = (): boolean => useShell().settings.passkeys && browserSupportsWebAuthn();

const canceled = 'The browser gave no passkey: you canceled, it took too long, or none of yours is at hand.';
const known = 'This device or password manager has a passkey of your account already.';

/** Browsers do not say more of it, to protect their users. */
function explain(failure: unknown): never {
  const isKnown =
    failure instanceof WebAuthnError && failure.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
  throw new PasskeyFailure(isKnown ? known : canceled);
}

/** An answer that shows one to the service. @throws {PasskeyFailure} */
export async function showPasskey(api: Api) {
  const { options: optionsJSON } = await api.session.askForPasskey.mutate();
  return { passkey: await startAuthentication({ optionsJSON }).catch(explain) };
}

/** @throws {PasskeyFailure} */
export async function createPasskey(api: Api) {
  const { options: optionsJSON } = await api.factors.beginPasskey.mutate();
  return startRegistration({ optionsJSON }).catch(explain);
}

export type PasskeyAnswer = Awaited<ReturnType<typeof showPasskey>>;

/** Before what the browser has been asked is too old. */
const renewedMs = 8 * 60_000;

/** Lets the browser offer passkeys in the field for the address, for as long as what calls this is shown. */
export function usePasskeyAutofill(onChosen: (answer: PasskeyAnswer) => void): void {
  const { api } = useShell();
  useEffect(() => {
    let isOver = false;
    const offer = async () => {
      if (!(await browserSupportsWebAuthnAutofill())) return;
      const { options: optionsJSON } = await api.session.askForPasskey.mutate();
      if (isOver) return;
      onChosen({ passkey: await startAuthentication({ optionsJSON, useBrowserAutofill: true }) });
    };
    // The user may sign in otherwise, and needs no word about it.
    const tryToOffer = () => void offer().catch(() => {});
    tryToOffer();
    const timer = setInterval(tryToOffer, renewedMs);
    return () => {
      isOver = true;
      clearInterval(timer);
      WebAuthnAbortService.cancelCeremony();
    };
  }, []);
}
