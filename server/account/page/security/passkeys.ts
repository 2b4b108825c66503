/** Creates and uses passkeys through the browser. */
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

/** Whether both this browser and this address support passkeys. */
export const usePasskeySupport = (): boolean => useShell().settings.passkeys && browserSupportsWebAuthn();

const canceled =
  'The browser provided no passkey: you canceled, it took too long, or you have none here. Try again.';
const known = 'This device or password manager already has a passkey for your account.';

/** Browsers give no more detail, to protect their users. */
function explain(failure: unknown): never {
  const isKnown =
    failure instanceof WebAuthnError && failure.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';
  throw new PasskeyFailure(isKnown ? known : canceled);
}

/** Returns the response that proves a passkey to the service. @throws {PasskeyFailure} */
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

/** Stops the browser from offering a removed passkey, if it can. */
export const forgetPasskey = (credentialID: string): Promise<void> =>
  sendSignal({ signalName: 'unknownCredential', rpID: location.hostname, credentialID }).catch(() => {});

/** Renews the request before its challenge expires. */
const renewedMs = 8 * 60_000;
/** Bounds the requests to a browser that answers at once without a passkey. */
const offersMax = 10;

/**
 * Lets the browser offer passkeys in the e-mail field while the calling component is shown.
 * @param onChosen resolves once the passkey has signed in or was refused
 * @returns offers them again, after another passkey request replaced the offer
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
    // The user can sign in another way, and needs no message.
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

const isAborted = (failure: unknown) =>
  failure instanceof WebAuthnError && failure.code === 'ERROR_CEREMONY_ABORTED';
