/** Preformatted text with a copy button. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const shownMs = 2000;

/** For a region that scrolls: it needs keyboard focus, and so a role and a name. */
export const scrollable = (name: string) => ({ tabIndex: 0, role: 'group', 'aria-label': name }) as const;

interface CodeProps {
  text: string;
  what: string;
  hint?: string;
  shown?: ComponentChildren;
}

/**
 * @param what the text's name for screen readers, as in "Copy API key"
 * @param hint where to paste it, shown above; without one the copy button is the primary action
 * @param shown the same text with markup
 */
export function Code({ text, what, hint, shown = text }: CodeProps) {
  const ref = useRef<HTMLElement>(null);
  const { outcome, copy } = useCopy(text, ref);
  return (
    <div class={hint ? 'code' : 'code is-main'}>
      {hint && <p class="note">{hint}</p>}
      <button type="button" class={hint ? 'button is-small' : 'button is-primary'} onClick={copy}>
        <Icon name={outcome === 'Copied' ? 'check' : 'copy'} />
        <span>{outcome ?? 'Copy'}</span>
        <span class="visually-hidden"> {what}</span>
      </button>
      <pre translate={false} {...scrollable(what)}>
        <code ref={ref}>{shown}</code>
      </pre>
      <span class="visually-hidden" role="status">
        {outcome === 'Copied' && `Copied ${what}`}
      </span>
    </div>
  );
}

function useCopy(text: string, ref: RefObject<HTMLElement | null>) {
  const [outcome, setOutcome] = useState<'Copied' | 'Ctrl+C' | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), shownMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => setOutcome((await copyText(text, ref.current)) ? 'Copied' : 'Ctrl+C');
  return { outcome, copy };
}

/** Whether the text was copied; if not, the element that shows it is selected. */
export async function copyText(text: string, shown: Element | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Browsers deny clipboard access without TLS: the user can then press Ctrl+C.
    if (shown) getSelection()?.selectAllChildren(shown);
    return false;
  }
}
