/** Asks for a second factor when a request needs a recent one, then continues the request. */
import type { ComponentChildren } from 'preact';
import { useCallback, useMemo, useRef } from 'preact/hooks';
import { Dialog, useDialog } from '../dialog.tsx';
import { ShellContext, useShell } from '../shell.ts';
import { useQuery } from '../use-query.ts';
import { ResourceView } from '../view.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';

/** Asks in a dialog over the content, which keeps its input. */
export function AskFactor({ children }: { children: ComponentChildren }) {
  const shell = useShell();
  const waiting = useRef<((isShown: boolean) => void)[]>([]);
  const end = (isShown: boolean) => {
    for (const goOn of waiting.current.splice(0)) goOn(isShown);
  };
  const { dialog, show, close } = useDialog(useCallback(() => end(false), []));
  const onShown = async () => {
    end(true);
    close();
  };
  const onFactorRequired = useCallback(async () => {
    await shell.onFactorRequired();
    show(<FactorDialog onShown={onShown} />);
    return new Promise<boolean>((resolve) => waiting.current.push(resolve));
  }, [shell]);
  const inner = useMemo(() => ({ ...shell, onFactorRequired }), [shell, onFactorRequired]);
  return (
    <ShellContext.Provider value={inner}>
      {children}
      {dialog}
    </ShellContext.Provider>
  );
}

function FactorDialog({ onShown }: { onShown(): Promise<void> }) {
  const query = useQuery((api) => api.factors.list.query());
  return (
    <Dialog title="Confirm that it is you">
      <ResourceView of={query} placeholder={<p class="note">Loading</p>}>
        {({ factors }) => (
          <>
            <p>Use one of your second factors. You will not be asked again for ten minutes.</p>
            <SecondFactorForm kinds={factors.map(({ kind }) => kind)} onShown={onShown} />
          </>
        )}
      </ResourceView>
    </Dialog>
  );
}
