/** What the user has typed into a form and not sent: kept in the tab, so that Escape, Back or a reload does not lose it. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { ownPrefix, tryStorage } from './storage.ts';

type Entry = [field: string, value: string];

interface DraftName {
  /** Whose it is, so that no one else who signs in here sees it. */
  userId: number | null;
  /** Of the form; undefined: it keeps no draft, as its fields are secret or short. */
  name: string | undefined;
  /** Changes when the form gets more fields, which are then filled too. */
  fieldCount: number;
}

type Draft = Pick<DraftName, 'userId' | 'name'>;

/** What is typed there stays in the form. */
const secretFields = 'input[type=password], input[data-secret]' as 'input';

const keyOf = ({ userId, name }: Draft) => `${ownPrefix}draft:${userId}:${name}`;

export const dropDraft = (draft: Draft) =>
  tryStorage('sessionStorage', (storage) => storage.removeItem(keyOf(draft)));

/** Of the forms with these names, and with names that go on with a slash, as of files below a directory. */
export const renameDrafts = (userId: number | null, from: string, to: string) =>
  tryStorage('sessionStorage', (storage) => {
    const [before, after] = [keyOf({ userId, name: from }), keyOf({ userId, name: to })];
    for (const key of Object.keys(storage)) {
      if (key !== before && !key.startsWith(`${before}/`)) continue;
      storage.setItem(after + key.slice(before.length), storage.getItem(key) ?? '');
      storage.removeItem(key);
    }
  });

export function useDraft(form: RefObject<HTMLFormElement | null>, { userId, name, fieldCount }: DraftName) {
  const key = keyOf({ userId, name });
  useEffect(() => {
    const fields = form.current;
    if (name !== undefined && fields)
      tryStorage('sessionStorage', (storage) => restore(fields, storage.getItem(key)));
  }, [key, fieldCount]);
  return {
    keep() {
      if (name === undefined || !form.current) return;
      const secret = new Set([...form.current.querySelectorAll(secretFields)].map(({ name }) => name));
      const entries = [...new FormData(form.current)]
        .filter(([field]) => !secret.has(field))
        .map(([field, value]): Entry => [field, String(value)]);
      tryStorage('sessionStorage', (storage) => storage.setItem(key, JSON.stringify(entries)));
    },
    drop: () => dropDraft({ userId, name }),
  };
}

function restore(form: HTMLFormElement, draft: string | null): void {
  if (draft === null) return;
  const entries: Entry[] = JSON.parse(draft);
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement && field.type === 'checkbox')
      field.checked = entries.some(([name, value]) => name === field.name && value === field.value);
    else if (isTyped(field)) field.value = entries.find(([name]) => name === field.name)?.[1] ?? field.value;
    field.dispatchEvent(new Event('change', { bubbles: true }));
    if (isFilled(field)) field.closest('details')?.setAttribute('open', '');
  }
}

/** What is filled in must be seen before it is sent again. */
const isFilled = (field: Element) =>
  field instanceof HTMLInputElement && field.type === 'checkbox'
    ? field.checked
    : isTyped(field) && field.value !== '';

const isTyped = (field: Element): field is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
  field instanceof HTMLInputElement ||
  field instanceof HTMLTextAreaElement ||
  field instanceof HTMLSelectElement;
