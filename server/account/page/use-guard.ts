/** Against losing what is shown only once: Back keeps it, and leaving the page takes the browser's confirmation. */
import { useLayoutEffect } from 'preact/hooks';

/** Of an entry of the browser's history that leads nowhere else, so that Back to the one before it changes nothing. */
const spare = { isSpare: true };

const isSpare = () => Boolean(history.state?.isSpare);

const addSpare = () => {
  if (!isSpare()) history.pushState(spare, '', location.href);
};

const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

/** A layout effect, because it ends with its component; another one ends after the next paint, and a quick Back comes before it. */
export function useGuard(isOn: boolean): void {
  useLayoutEffect(() => {
    if (!isOn) return;
    // The spare entry stays afterwards: going back from it would race with where the user goes next.
    addSpare();
    addEventListener('popstate', addSpare);
    addEventListener('beforeunload', confirmLeaving);
    return () => {
      removeEventListener('popstate', addSpare);
      removeEventListener('beforeunload', confirmLeaving);
    };
  }, [isOn]);
}
