/** Follows what a form holds: what the user types, what a saved draft fills in, and a reset. */
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** @param within an element in the form @returns null before the first paint */
export function useFormValues(within: RefObject<Element | null>): FormData | null {
  const [values, setValues] = useState<FormData | null>(null);
  useEffect(() => {
    const form = within.current?.closest('form');
    if (!form) return;
    // A reset fires its event before it empties the fields.
    const read = () => queueMicrotask(() => setValues(new FormData(form)));
    const events = ['input', 'change', 'reset'];
    read();
    for (const event of events) form.addEventListener(event, read);
    return () => {
      for (const event of events) form.removeEventListener(event, read);
    };
  }, []);
  return values;
}
