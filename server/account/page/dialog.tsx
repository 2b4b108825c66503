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

/** Closes the dialog that what calls this is in. */
export const useClose = () => useContext(CloseContext);

/** A question before something is done. */
export interface Question extends Pick<FormProps<FormRequest, Fields>, 'fields' | 'isDangerous'> {
  title: ComponentChildren;
  /** What happens then, in a sentence or two. */
  text: ComponentChildren;
  /** Below the text. */
  more?: ComponentChildren;
  /** Of the button that does it. */
  verb: string;
  /** As `send` of a form. */
  act(api: Api, given: Values): Promise<ComponentChildren> | Promise<void>;
}

export type Dialogs = Omit<ReturnType<typeof useDialog>, 'dialog'>;

/**
 * The dialog over what calls this and shows it: one at a time, which ends with its opener.
 * @param onClosed is the same in each rendering
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
  /** Whether only a button in the content closes it, as closing would lose something. */
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

/** Opens a dialog, keeps the focus inside, and gives it back to the opener when it closes. */
function useModal(ref: RefObject<HTMLDialogElement | null>): void {
  useFocusInside(ref, () => ref.current?.querySelector('button'));
  const opener = useRef<Element>(null);
  useEffect(() => {
    opener.current = document.activeElement;
    ref.current?.showModal();
    // A dialog that is a form begins with its first field.
    focus(ref.current?.querySelector('.dialog-body > form:first-child .input'));
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
}

interface FormDialogProps<Request extends FormRequest, Shown extends Fields>
  extends Omit<FormProps<Request, Shown>, 'onCancel' | 'send'> {
  title: ComponentChildren;
  /** What is returned is told to the user when the dialog has closed; undefined: what opened the dialog goes on from there. */
  send(api: Api, given: Given<Request, Shown>, values: FormData): Promise<ComponentChildren> | Promise<void>;
}

/** A dialog with a form and a cancel button. */
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

/** Of an entry of the browser's history that leads nowhere else, so that Back to the one before it changes nothing. */
const spare = { isSpare: true };

const isSpare = () => Boolean(history.state?.isSpare);

const addSpare = () => {
  if (!isSpare()) history.pushState(spare, '', location.href);
};

const confirmLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * Against losing what is shown only once: Back keeps it, and leaving the page takes the browser's confirmation.
 * A layout effect, because it ends with its component; another one ends after the next paint, and a quick Back comes before it.
 */
function useGuard(isOn: boolean): void {
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

interface SecretProps {
  title: ComponentChildren;
  secret: string;
  /** Names it, as in "Copy API key". */
  what: string;
  /** What to do with it, in a sentence or two. */
  advice: string;
  /** How to use it. */
  children: ComponentChildren;
}

/** Shows a new secret, once. The page keeps it nowhere else. */
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
