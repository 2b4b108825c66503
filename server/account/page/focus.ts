/** Keeps the focus where a change of the page would lose it. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export function focus(element: Element | null | undefined): void {
  if (element instanceof HTMLElement) element.focus();
}

/** Moves the focus to the invalid element, and scrolls it into view with its note. */
export function focusAndReveal(wrong: Element | null | undefined): void {
  if (!(wrong instanceof HTMLElement)) return;
  // A closed <details> would hide both, and its fields cannot take the focus.
  wrong.closest('details')?.setAttribute('open', '');
  wrong.focus({ preventScroll: true });
  const note = document.getElementById(wrong.getAttribute('aria-describedby') ?? '');
  for (const shown of [note, wrong]) shown?.scrollIntoView({ block: 'nearest' });
}

/** After each submission of a form, focuses its first invalid field. */
export function useInvalidField<Container extends HTMLElement>() {
  const container = useRef<Container>(null);
  const [submissions, setSubmissions] = useState(0);
  useEffect(() => focusAndReveal(container.current?.querySelector('[aria-invalid="true"]')), [submissions]);
  return { container, onSubmitted: () => setSubmissions((count) => count + 1) };
}

/** After each change of the content, moves a lost focus to what `find` returns, or to the heading. */
export function useFocusAfterChange(content: unknown, find: () => Element | null = () => null): void {
  useEffect(() => {
    if (content && document.activeElement === document.body) focus(find() ?? document.querySelector('h1'));
  }, [content]);
}

/** When the page removes the focused element of a container, moves the focus to what `find` returns. */
export function useFocusInside(
  container: RefObject<Element | null>,
  find: () => Element | null | undefined,
): void {
  // Read while the element still exists.
  const hadFocus = container.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) focus(find());
  });
}

/** For a list with a button that adds to it: the focus goes to the first added item. */
export function useFocusOnAdded<List extends HTMLElement>(count: number) {
  const list = useRef<List>(null);
  const countBefore = useRef(count);
  const isAwaited = useRef(false);
  useEffect(() => {
    if (isAwaited.current) focus(list.current?.children[countBefore.current]);
    isAwaited.current = false;
    countBefore.current = count;
  }, [count]);
  const expectMore = () => {
    isAwaited.current = true;
  };
  return { list, expectMore };
}
