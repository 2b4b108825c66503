/** The second step of a sign-in, which replaces the first. */
import { useState } from 'preact/hooks';
import { codeOf, type PendingSignIn } from '../api.ts';
import { useAction, useShell } from '../shell.ts';
import { SecondFactorForm, type SecondFactorFormProps } from './second-factor-form.tsx';

const tookTooLong = 'It took too long. Sign in again.';

/** @param begun the state when the page was opened: a reload stays at the second step */
export function useSecondStep(begun: PendingSignIn | null) {
  const { api } = useShell();
  const [pending, setPending] = useState(begun);
  const [notice, setNotice] = useState<string | null>(null);
  return {
    pending,
    notice,
    async begin() {
      const current = await api.session.current.query();
      setPending(current.pending);
      setNotice(current.pending ? null : tookTooLong);
    },
    end(why: string | null) {
      setPending(null);
      setNotice(why);
    },
  };
}

interface Props extends Omit<SecondFactorFormProps, 'onRefused'> {
  /** @param why a sentence; null: the user has gone back */
  onEnded(why: string | null): void;
}

export function SecondStep({ onEnded, ...show }: Props) {
  const { api } = useShell();
  const { run } = useAction();
  const goBack = () =>
    run(async () => {
      await api.session.signOut.mutate();
      onEnded(null);
    });
  /** Another tab may have continued the sign-in, or gone back. */
  const onRefused = async (failure: unknown) => {
    if (codeOf(failure) === undefined) return;
    const current = await api.session.current.query();
    if (current.user) await show.onShown({ user: current.user, password: null });
    else if (!current.pending) onEnded(tookTooLong);
  };
  return (
    <>
      <SecondFactorForm {...{ ...show, onRefused }} />
      <p class="note">
        <button type="button" class="link" onClick={goBack}>
          Back
        </button>
      </p>
    </>
  );
}
