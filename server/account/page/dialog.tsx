/** A modal dialog: the browser traps the focus inside; closing returns it to the opener. */
import { type ComponentChildren, createContext, type RefObject, type VNode } from 'preact';
import { useCallback, useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Api } from './api.ts';
import { Code } from './code.tsx';
import type { Fields, Given, Values } from './fields.tsx';
import { focus, useFocusInside } from './focus.ts';
import { Form, type FormProps } from './form.tsx';
import { Icon } from './icon.tsx';
import type { FormRequest } from './requests.ts';
import { useShell } from './shell.ts';
import { Warning } from './view.tsx';

const CloseContext = createContext(() => {});

export const useClose = () => useContext(CloseContext);

export interface Question extends Pick<FormProps<FormRequest, Fields>, 'fields' | 'isDangerous'> {
  title: ComponentChildren;
  text: ComponentChildren;
  more?: ComponentChildren;
  verb: string;
  act(api: Api, given: Values): Promise<ComponentChildren> | Promise<void>;
}

export type Dialogs = Omit<ReturnType<typeof useDialog>, 'dialog'>;

/**
 * Shows one dialog at a time over the calling component; it closes with that component.
 * @param onClosed must be stable across renders
 */
export function useDialog(onClosed?: () => void) {
  const [content, show] = useState<VNode | null>(null);
  const close = useCallback(() => {
    show(null);
    onClosed?.();
  }, [onClosed]);
  const confirm = ({ text, more, verb, act, ...dialog }: Question) =>
    show(
      <FormDialog {...dialog} label={verb} send={act}>
        <p>{text}</p>
        {more}
      </FormDialog>,
    );
  return {
    dialog: content && <CloseContext.Provider value={close}>{content}</CloseContext.Provider>,
    show,
    confirm,
    close,
  };
}

interface Props {
  title: ComponentChildren;
  /** Whether only a button in the content closes it, because closing would lose something. */
  isKept?: boolean;
  isWide?: boolean;
  children: ComponentChildren;
}

export function Dialog({ title, isKept = false, isWide = false, children }: Props) {
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const close = useClose();
  useGuard(isKept);
  useModal(ref);
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    if (!isKept) close();
  };
  return (
    <dialog ref={ref} class={isWide ? 'dialog is-wide' : 'dialog'} aria-labelledby={id} onKeyDown={onEscape}>
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!isKept && (
          <button type="button" class="icon-button" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

function useModal(ref: RefObject<HTMLDialogElement | null>): void {
  useFocusInside(ref, () => ref.current?.querySelector('button'));
  const opener = useRef<Element>(null);
  useEffect(() => {
    opener.current = document.activeElement;
    ref.current?.showModal();
    // A dialog with a form starts at its first field.
    focus(ref.current?.querySelector('.dialog-body > form:first-child .input'));
  }, []);
  // useEffect's clean-up runs after a paint: until then nothing would have the focus.
  useLayoutEffect(
    () => () => {
      // While a dialog is open, the rest of the page cannot get the focus.
      ref.current?.close();
      focus(opener.current?.isConnected ? opener.current : document.querySelector('h1'));
    },
    [],
  );
}

interface FormDialogProps<Request extends FormRequest, Shown extends Fields>
  extends Omit<FormProps<Request, Shown>, 'onCancel' | 'send'> {
  title: ComponentChildren;
  /** The result is shown to the user when the dialog has closed; undefined: the opener continues from there. */
  send(api: Api, given: Given<Request, Shown>, values: FormData): Promise<ComponentChildren> | Promise<void>;
}

export function FormDialog<Request extends FormRequest, const Shown extends Fields>({
  title,
  send,
  ...form
}: FormDialogProps<Request, Shown>) {
  const { api, notify } = useShell();
  const close = useClose();
  const sendAndClose: FormProps<Request, Shown>['send'] = async (given, { values }) => {
    const done = await send(api, given, values);
    if (done === undefined) return;
    close();
    notify(done);
  };
  return (
    <Dialog title={title}>
      <Form {...form} send={sendAndClose} onCancel={close} />
    </Dialog>
  );
}

/** Marks an entry that duplicates the one before it in the history, so that Back shows the same page. */
const spare = { isSpare: true };

const isSpare = () => Boolean(history.state?.isSpare);

const addSpare = () => {
  if (!isSpare()) history.pushState(spare, '', location.href);
};

const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * Protects a secret that is shown only once: Back keeps it, and leaving the page needs the browser's confirmation.
 * This is a layout effect because it ends with its component. Other effects end after the next paint, and a quick Back
 * comes before that.
 */
function useGuard(isOn: boolean): void {
  useLayoutEffect(() => {
    if (!isOn) return;
    // The spare entry stays: going back from it would race with where the user goes next.
    addSpare();
    addEventListener('popstate', addSpare);
    addEventListener('beforeunload', confirmLeaving);
    return () => {
      removeEventListener('popstate', addSpare);
      removeEventListener('beforeunload', confirmLeaving);
    };
  }, [isOn]);
}

interface SecretProps {
  title: ComponentChildren;
  secret: string;
  /** Its name, as in "Copy API key". */
  what: string;
  advice: string;
  children: ComponentChildren;
}

/** Shows a new secret once. The page keeps it nowhere else. */
export const SecretDialog = ({ title, secret, what, advice, children }: SecretProps) => (
  <Dialog title={title} isKept isWide>
    <Warning>
      <strong>Copy this now: it will not be shown again.</strong> {advice}
    </Warning>
    <Code text={secret} what={what} />
    {children}
    <div class="form-actions">
      <button type="button" class="button is-primary" onClick={useClose()}>
        I have copied it
      </button>
    </div>
  </Dialog>
);
