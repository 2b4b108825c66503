/** The support desk by single keys. They can be turned off, as speech input would press them (WCAG 2.1.4). */
import { useEffect, useRef } from 'preact/hooks';
import type { Ticket } from '../api.ts';
import { Dialog, useDialog } from '../dialog.tsx';
import { focus } from '../focus.ts';
import { Facts } from '../item.tsx';
import { useAction, useFailureToast, useShell } from '../shell.ts';
import { tryStorage } from '../storage.ts';
import type { Desk, TicketFilter } from './desk.ts';

const texts = { j: 'Next ticket', k: 'Previous ticket', r: 'Write an answer', '?': 'Show these shortcuts' };

type Key = keyof typeof texts;

const isKey = (key: string): key is Key => Object.hasOwn(texts, key);

const settingName = 'desk-keys';

/** Kept here too, because the storage may be forbidden. */
const setting = { isOn: tryStorage('localStorage', (storage) => storage.getItem(settingName)) !== 'off' };

function setKeys(isOn: boolean): void {
  setting.isOn = isOn;
  tryStorage('localStorage', (storage) => storage.setItem(settingName, isOn ? 'on' : 'off'));
}

interface Props {
  desk: Desk;
  filter: TicketFilter;
  /** The open ticket; null while the list is shown. */
  id: number | null;
}

export function useDeskKeys({ desk, filter, id }: Props) {
  const { notify } = useShell();
  const { dialog, show } = useDialog();
  const { run, failure } = useAction();
  useFailureToast(failure);
  const openNeighbor = (step: number) =>
    run(async () => {
      const { items } = await desk.list(filter);
      const neighbor = neighborOf(items, { id, step });
      if (!neighbor) return notify('The list ends here');
      // The focus then moves to the heading of the ticket that opens.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      location.hash = `${desk.hash}/${neighbor.id}`;
    });
  const move = (step: number) => (id === null ? focusNeighbor(step) : void openNeighbor(step));
  const showKeys = () => show(<KeysDialog />);
  useKeys(desk.isStaff, {
    j: () => move(1),
    k: () => move(-1),
    r: () => focus(document.querySelector('.answer-area textarea')),
    '?': showKeys,
  });
  const hint = desk.isStaff && (
    <button type="button" class="link note keys-hint" aria-haspopup="dialog" onClick={showKeys}>
      <kbd>?</kbd> for shortcuts
    </button>
  );
  return { dialog, hint };
}

function useKeys(isOn: boolean, actions: Record<Key, () => void>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (!isKey(key) || !setting.isOn || isElsewhere(event)) return;
      event.preventDefault();
      latest.current[key]();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOn]);
}

/** A key that belongs to a field, a dialog, a menu or the browser. */
function isElsewhere(event: KeyboardEvent): boolean {
  const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (event.defaultPrevented || ctrlKey || metaKey || altKey || (shiftKey && key !== '?')) return true;
  const isTyping = target instanceof Element && target.closest('input, textarea, select') !== null;
  return isTyping || document.querySelector('dialog[open], :popover-open') !== null;
}

/** A ticket that has left the list, as it was answered, leads to the first one. */
function neighborOf(
  tickets: Ticket[],
  { id, step }: { id: number | null; step: number },
): Ticket | undefined {
  const index = tickets.findIndex((ticket) => ticket.id === id);
  return tickets[index === -1 ? 0 : index + step];
}

function focusNeighbor(step: number): void {
  const links: (Element | null)[] = [...document.querySelectorAll('.ticket > a')];
  const index = links.indexOf(document.activeElement);
  focus(links[index === -1 ? 0 : index + step]);
}

const KeysDialog = () => (
  <Dialog title="Keyboard shortcuts">
    <Facts of={Object.fromEntries(Object.entries(texts).map(([key, text]) => [text, <kbd>{key}</kbd>]))} />
    <label class="check">
      <input
        type="checkbox"
        defaultChecked={setting.isOn}
        onChange={({ currentTarget }) => setKeys(currentTarget.checked)}
      />
      Use these shortcuts in this browser
    </label>
  </Dialog>
);
