/** The focus, where a change of the page would lose it. */
import { useEffect, useRef } from 'preact/hooks';

export function focus(element: Element | null | undefined): void {
  if (element instanceof HTMLElement) element.focus();
}

/** Each time the content has changed: a focus that was lost goes to what `find` names, or to the heading. */
export function useKeptFocus(content: unknown, find: () => Element | null = () => null): void {
  useEffect(() => {
    if (content && document.activeElement === document.body) focus(find() ?? document.querySelector('h1'));
  }, [content]);
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
