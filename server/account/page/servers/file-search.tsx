/** Finds text in a text field, and marks the match. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Found {
  start: number;
  text: string;
  /** "3 of 12" */
  position: string;
  /** A line break for each line above it, then the text before it in its own line. */
  above: string;
}

/** Browsers refuse a pattern of 100,000 characters, which a selected line may have. */
const wantedMax = 200;

type Finder = ReturnType<typeof useFinder>;

/** Browsers show a selection only in the field that has the focus, so a mark over the text shows what was found. */
export function useFinder(area: RefObject<HTMLTextAreaElement | null>) {
  const input = useRef<HTMLInputElement>(null);
  const mark = useRef<HTMLPreElement>(null);
  const [wanted, setWanted] = useState('');
  const [found, setFound] = useState<Found | 'none' | null>(null);
  const at = found === null || found === 'none' ? null : found;
  const follow = () => {
    const { scrollLeft = 0, scrollTop = 0 } = area.current ?? {};
    if (mark.current) mark.current.style.translate = `${-scrollLeft}px ${-scrollTop}px`;
  };
  useLayoutEffect(() => {
    if (area.current) reveal(area.current, mark.current?.querySelector('mark'));
    follow();
  }, [found]);
  /** @param step 0 stays at a match that goes on to match what is typed */
  const find = (step: -1 | 0 | 1, text = wanted) => {
    const { value = '', selectionStart = 0 } = area.current ?? {};
    setWanted(text);
    const search = { text, from: at?.start ?? selectionStart, step };
    setFound(text === '' ? null : (findIn(value, search) ?? 'none'));
  };
  const open = () => {
    const selected = selectionIn(area.current);
    if (selected && selected.length <= wantedMax && !selected.includes('\n')) find(0, selected);
    input.current?.select();
  };
  const leave = () => {
    area.current?.focus();
    if (at) area.current?.setSelectionRange(at.start, at.start + at.text.length);
    setFound(null);
  };
  const position = found === 'none' ? 'None' : found?.position;
  const forget = () => setFound(null);
  return { ...{ input, mark, wanted, found: at, position }, ...{ follow, find, open, leave, forget } };
}

function selectionIn(area: HTMLTextAreaElement | null): string {
  return area?.value.slice(area.selectionStart, area.selectionEnd) ?? '';
}

type Wanted = { text: string; from: number; step: -1 | 0 | 1 };

/** The next match from a place in the text, around its end if need be; upper and lower case are the same. */
function findIn(value: string, { text, from, step }: Wanted): Found | null {
  const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi');
  const starts = Array.from(value.matchAll(pattern), ({ index }) => index);
  const next = starts.findIndex((start) => (step > 0 ? start > from : start >= from));
  const after = next < 0 ? starts.length : next;
  const index = (after + (step < 0 ? -1 : 0) + starts.length) % starts.length;
  const start = starts[index];
  if (start === undefined) return null;
  const lineStart = value.lastIndexOf('\n', start - 1) + 1;
  return {
    start,
    text: value.slice(start, start + text.length),
    position: `${index + 1} of ${starts.length}`,
    above: '\n'.repeat(linesAbove(value.slice(0, lineStart))) + value.slice(lineStart, start),
  };
}

const linesAbove = (text: string) => text.split('\n').length - 1;

/** Scrolls the text so that the mark is in its middle, and sideways only if it must. */
function reveal(area: HTMLTextAreaElement, mark: HTMLElement | null | undefined): void {
  if (!mark) return;
  const { offsetTop, offsetLeft, offsetWidth } = mark;
  const { clientHeight, clientWidth } = area;
  area.scrollTop = offsetTop - clientHeight / 2;
  area.scrollLeft = offsetLeft + offsetWidth < clientWidth ? 0 : offsetLeft - clientWidth / 2;
}

const inputProps = {
  class: 'input',
  type: 'search',
  dir: 'auto',
  'aria-label': 'Find in the file',
  placeholder: 'Find',
  maxLength: wantedMax,
} as const;

export function FileSearch({ finder: { input, wanted, position, find, leave } }: { finder: Finder }) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    if (event.key === 'Escape') leave();
    else find(event.shiftKey ? -1 : 1);
  };
  return (
    <search class="actions file-search">
      <input
        ref={input}
        {...inputProps}
        value={wanted}
        onInput={(event) => {
          event.stopPropagation(); // the form would keep a draft of an unchanged text
          find(0, event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <span class="note" role="status">
        {position}
      </span>
      {steps.map(({ label, step, arrow }) => (
        <button
          key={label}
          type="button"
          class="button is-small"
          aria-label={label}
          onClick={() => find(step)}
        >
          {arrow}
        </button>
      ))}
    </search>
  );
}

/** Covers the match where the text field shows it. */
export const FileMark = ({ finder: { found, mark } }: { finder: Finder }) =>
  found && (
    <pre ref={mark} aria-hidden="true">
      {found.above}
      <mark>{found.text}</mark>
    </pre>
  );

const steps = [
  { label: 'Previous match', step: -1, arrow: '↑' },
  { label: 'Next match', step: 1, arrow: '↓' },
] as const;
