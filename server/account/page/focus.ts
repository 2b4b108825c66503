/** The focus, where a change of the page would lose it. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export function focus(element: Element | null | undefined): void {
  if (element instanceof HTMLElement) element.focus();
}

/** Brings what is wrong to the user: the focus goes there, and it is in view with the note that describes it. */
export function focusAndReveal(wrong: Element | null | undefined): void {
  if (!(wrong instanceof HTMLElement)) return;
  // Closed, it would hide both, and take no focus.
  wrong.closest('details')?.setAttribute('open', '');
  wrong.focus({ preventScroll: true });
  const note = document.getElementById(wrong.getAttribute('aria-describedby') ?? '');
  for (const shown of [note, wrong]) shown?.scrollIntoView({ block: 'nearest' });
}

/** After each submission of a form, its first field that was found invalid is presented. */
export function useInvalidField<Container extends HTMLElement>() {
  const container = useRef<Container>(null);
  const [submissions, setSubmissions] = useState(0);
  useEffect(() => focusAndReveal(container.current?.querySelector('[aria-invalid="true"]')), [submissions]);
  return { container, onSubmitted: () => setSubmissions((count) => count + 1) };
}

/** Each time the content has changed: a focus that was lost goes to what `find` names, or to the heading. */
export function useFocusAfterChange(content: unknown, find: () => Element | null = () => null): void {
  useEffect(() => {
    if (content && document.activeElement === document.body) focus(find() ?? document.querySelector('h1'));
  }, [content]);
}

/** Where a change of the page removes the focused element of a container, the focus goes to what `find` names. */
export function useFocusInside(
  container: RefObject<Element | null>,
  find: () => Element | null | undefined,
): void {
  // Asked while the element is still there.
  const hadFocus = container.current?.contains(document.activeElement) ?? false;
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) focus(find());
  });
}

/** For a list with a button that adds more to it: the focus goes to the first item added. */
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
