/** A dialog in front of the page: the browser's own, which keeps the focus inside; it gives the focus back at the end. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Form, type FormProps } from './form.tsx';
import { Icon } from './icon.tsx';

interface Props {
  title: string;
  /** Missing: it can only be left by a button of its own, because something would be lost. */
  onClose?: () => void;
  isWide?: boolean;
  children: ComponentChildren;
}

export function Dialog({ title, onClose, isWide = false, children }: Props) {
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    ref.current?.showModal();
    // By the time it goes, the dialog is out of the page and cannot give the focus back by itself.
    return () => focus(opener?.isConnected ? opener : document.querySelector('h1'));
  }, []);
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

const focus = (element: Element | null) => {
  if (element instanceof HTMLElement) element.focus();
};

interface DialogFormProps extends Omit<FormProps, 'onCancel'> {
  title: string;
  onClose(): void;
}

/** A form in a dialog of its own, which can be left without sending it. */
export const DialogForm = ({ title, onClose, ...form }: DialogFormProps) => (
  <Dialog title={title} onClose={onClose}>
    <Form {...form} onCancel={onClose} />
  </Dialog>
);
