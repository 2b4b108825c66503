/** A modal dialog: the browser traps the focus inside; closing returns it to the opener. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { focus, useFocusInside } from './focus.ts';
import { Form, type FormProps } from './form.tsx';
import { Icon } from './icon.tsx';
import { useShell } from './shell.ts';
import { useGuard } from './use-guard.ts';

interface Props {
  title: ComponentChildren;
  /** Without it only a button in the content closes the dialog, as closing would lose something. */
  onClose?: () => void;
  isWide?: boolean;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, isWide = false, children }: Props) {
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  useGuard(!onClose);
  useFocusInside(ref, () => ref.current?.querySelector('button'));
  const opener = useRef<Element>(null);
  useEffect(() => {
    opener.current = document.activeElement;
    ref.current?.showModal();
  }, []);
  // The clean-up of useEffect runs after a paint: until then the focus would be nowhere.
  useLayoutEffect(
    () => () => {
      // An open dialog keeps the rest of the page from being focused.
      ref.current?.close();
      focus(opener.current?.isConnected ? opener.current : document.querySelector('h1'));
    },
    [],
  );
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose?.();
  };
  return (
    <dialog ref={ref} class={isWide ? 'dialog is-wide' : 'dialog'} aria-labelledby={id} onKeyDown={onEscape}>
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {onClose && (
          <button type="button" class="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

interface FormDialogProps extends Omit<FormProps, 'onCancel' | 'send'> {
  title: ComponentChildren;
  /** What is returned is told to the user when the dialog has closed; undefined: what opened the dialog goes on from there. */
  send(values: FormData): Promise<ComponentChildren> | Promise<void>;
  onClose(): void;
}

/** A dialog with a form and a cancel button. */
export function FormDialog({ title, send, onClose, ...form }: FormDialogProps) {
  const { notify } = useShell();
  const sendAndClose = async (values: FormData) => {
    const done = await send(values);
    if (done === undefined) return;
    onClose();
    notify(done);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form} send={sendAndClose} onCancel={onClose} />
    </Dialog>
  );
}

interface ConfirmDialogProps extends Pick<FormDialogProps, 'title' | 'isDangerous' | 'onClose'> {
  /** Of the button that does it. */
  verb: string;
  /** As `send` of a form. */
  act(): ReturnType<FormDialogProps['send']>;
  /** What happens then. */
  children: ComponentChildren;
}

/** Asks before something is done. */
export const ConfirmDialog = ({ verb, act, children, ...dialog }: ConfirmDialogProps) => (
  <FormDialog {...dialog} label={verb} send={act}>
    {() => children}
  </FormDialog>
);
