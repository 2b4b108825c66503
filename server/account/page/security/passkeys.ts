/** Passkeys as the browser makes and uses them. */
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  sendSignal,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
} from '@simplewebauthn/browser';
import { useEffect, useRef } from 'preact/hooks';
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

/** Has the browser offer a removed passkey no longer, where it can. */
export const forgetPasskey = (credentialID: string): Promise<void> =>
  sendSignal({ signalName: 'unknownCredential', rpID: location.hostname, credentialID }).catch(() => {});

/** Before what the browser has been asked is too old. */
const renewedMs = 8 * 60_000;
/** Bounds the offers to a browser that answers at once without a passkey. */
const offersMax = 10;

/**
 * Lets the browser offer passkeys in the field for the address, for as long as what calls this is shown.
 * @param onChosen resolves once the passkey has signed in or was refused
 * @returns what offers them again, after the browser was asked for one otherwise
 */
export function usePasskeyAutofill(onChosen: (answer: PasskeyAnswer) => Promise<unknown>): () => void {
  const { api } = useShell();
  const offerAgain = useRef(() => {});
  useEffect(() => {
    let isOver = false;
    const offer = async (left = offersMax): Promise<void> => {
      if (isOver || left === 0 || !(await browserSupportsWebAuthnAutofill())) return;
      const { options: optionsJSON } = await api.session.askForPasskey.mutate();
      if (isOver) return;
      const asked = startAuthentication({ optionsJSON, useBrowserAutofill: true });
      const [chosen] = await Promise.allSettled([asked]);
      if (chosen.status === 'fulfilled') await onChosen({ passkey: chosen.value });
      else if (isAborted(chosen.reason)) return;
      return offer(left - 1);
    };
    // The user may sign in otherwise, and needs no word about it.
    offerAgain.current = () => void offer().catch(() => {});
    offerAgain.current();
    const timer = setInterval(() => offerAgain.current(), renewedMs);
    return () => {
      isOver = true;
      clearInterval(timer);
      WebAuthnAbortService.cancelCeremony();
    };
  }, []);
  return () => offerAgain.current();
}

/** Another request for a passkey replaced this one. */
const isAborted = (failure: unknown) =>
  failure instanceof WebAuthnError && failure.code === 'ERROR_CEREMONY_ABORTED';
