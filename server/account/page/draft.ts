/** Keeps unsent form input in the tab, so that Escape, Back or a reload does not lose it. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useShell } from './shell.ts';
import { tryStorage, userKeyPrefix } from './storage.ts';

type Entry = [field: string, value: string];

/** Never stored. */
const secretFields = 'input[type=password], input[data-secret]' as 'input';

const withStorage = (use: (storage: Storage) => void) => tryStorage('sessionStorage', use);

/** Drafts belong to the signed-in user, so that no one else who signs in here sees them. */
export function useDrafts() {
  const { userId } = useShell();
  const keyOf = (name: string) => `${userKeyPrefix}draft:${userId}:${name}`;
  return {
    keyOf,
    /** @param name the form's; undefined: it keeps no draft, as its fields are secret or short */
    drop: (name: string | undefined) =>
      withStorage((storage) => name !== undefined && storage.removeItem(keyOf(name))),
    /** Includes names that continue with a slash, for the files below a directory. */
    rename: (from: string, to: string) =>
      withStorage((storage) => {
        const [before, after] = [keyOf(from), keyOf(to)];
        for (const key of Object.keys(storage)) {
          if (key !== before && !key.startsWith(`${before}/`)) continue;
          storage.setItem(after + key.slice(before.length), storage.getItem(key) ?? '');
          storage.removeItem(key);
        }
      }),
  };
}

export function useDraft(form: RefObject<HTMLFormElement | null>, name: string | undefined) {
  const drafts = useDrafts();
  const key = name === undefined ? null : drafts.keyOf(name);
  const filledCount = useRef(0);
  // Fields may appear after the form, and are filled too.
  useEffect(() => {
    const fields = form.current;
    if (key === null || !fields || fields.elements.length === filledCount.current) return;
    filledCount.current = fields.elements.length;
    withStorage((storage) => restore(fields, storage.getItem(key)));
  });
  return {
    keep() {
      if (key === null || !form.current) return;
      const secret = new Set([...form.current.querySelectorAll(secretFields)].map(({ name }) => name));
      const entries = [...new FormData(form.current)]
        .filter(([field]) => !secret.has(field))
        .map(([field, value]): Entry => [field, String(value)]);
      withStorage((storage) => storage.setItem(key, JSON.stringify(entries)));
    },
    drop: () => drafts.drop(name),
  };
}

function restore(form: HTMLFormElement, draft: string | null): void {
  if (draft === null) return;
  const entries: Entry[] = JSON.parse(draft);
  for (const field of form.elements) {
    if (isTickable(field))
      field.checked = entries.some(([name, value]) => name === field.name && value === field.value);
    else if (isTyped(field)) field.value = entries.find(([name]) => name === field.name)?.[1] ?? field.value;
    field.dispatchEvent(new Event('change', { bubbles: true }));
    if (isFilled(field)) field.closest('details')?.setAttribute('open', '');
  }
}

/** The user must see restored values before sending them. */
const isFilled = (field: Element) =>
  isTickable(field) ? field.checked : isTyped(field) && field.value !== '';

const isTickable = (field: Element): field is HTMLInputElement =>
  field instanceof HTMLInputElement && ['checkbox', 'radio'].includes(field.type);

const isTyped = (field: Element): field is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
  field instanceof HTMLInputElement ||
  field instanceof HTMLTextAreaElement ||
  field instanceof HTMLSelectElement;
