/** Creates and uses passkeys through the browser. */
import { useEffect, useRef } from 'preact/hooks';
import { type Api, ShownFailure } from '../api.ts';
import { useShell } from '../shell.ts';

/** Most visits do not need this package. */
const loadPackage = () => import('@simplewebauthn/browser');

/** Whether both this browser and this address support passkeys. */
export const usePasskeySupport = (): boolean =>
  useShell().settings.passkeys && typeof PublicKeyCredential === 'function';

const canceled =
  'The browser provided no passkey: you canceled, it took too long, or you have none here. Try again.';
const known = 'This device or password manager already has a passkey for your account.';

/** Browsers give no more detail, to protect their users. */
function explain(failure: unknown): never {
  throw new ShownFailure(isOfCode(failure, 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') ? known : canceled);
}

const isOfCode = (failure: unknown, code: string) =>
  failure instanceof Error && 'code' in failure && failure.code === code;

/** Returns the response that proves a passkey to the service. @throws {ShownFailure} */
export async function showPasskey(api: Api) {
  const [{ startAuthentication }, { options: optionsJSON }] = await Promise.all([
    loadPackage(),
    api.session.askForPasskey.mutate(),
  ]);
  return { passkey: await startAuthentication({ optionsJSON }).catch(explain) };
}

/** @throws {ShownFailure} */
export async function createPasskey(api: Api) {
  const [{ startRegistration }, { options: optionsJSON }] = await Promise.all([
    loadPackage(),
    api.factors.beginPasskey.mutate(),
  ]);
  return startRegistration({ optionsJSON }).catch(explain);
}

export type PasskeyAnswer = Awaited<ReturnType<typeof showPasskey>>;

/** Stops the browser from offering a removed passkey, if it can. */
export const forgetPasskey = (credentialID: string): Promise<void> =>
  loadPackage()
    .then(({ sendSignal }) =>
      sendSignal({ signalName: 'unknownCredential', rpID: location.hostname, credentialID }),
    )
    .catch(() => {});

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
    let cancel = () => {};
    const offer = async (left = offersMax): Promise<void> => {
      if (isOver || left === 0) return;
      const { browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService } =
        await loadPackage();
      cancel = () => WebAuthnAbortService.cancelCeremony();
      if (!(await browserSupportsWebAuthnAutofill())) return;
      const { options: optionsJSON } = await api.session.askForPasskey.mutate();
      if (isOver) return;
      const asked = startAuthentication({ optionsJSON, useBrowserAutofill: true });
      const [chosen] = await Promise.allSettled([asked]);
      if (chosen.status === 'fulfilled') await onChosen({ passkey: chosen.value });
      else if (isOfCode(chosen.reason, 'ERROR_CEREMONY_ABORTED')) return;
      return offer(left - 1);
    };
    // The user can sign in another way, and needs no message.
    offerAgain.current = () => void offer().catch(() => {});
    offerAgain.current();
    const timer = setInterval(() => offerAgain.current(), renewedMs);
    return () => {
      isOver = true;
      clearInterval(timer);
      cancel();
    };
  }, []);
  return () => offerAgain.current();
}
