/**
 * Lets the browser translate the page. A translator puts an element of its own in the place of each text, and React
 * and Preact then change texts that nobody sees, or fail beside them: so each text stays in its place, empty, until the page changes it.
 */

export function surviveTranslation(root: Node): void {
  const follow = createFollower();
  const observer = new MutationObserver((records) => {
    for (const record of records) follow(record);
    observer.takeRecords(); // what was done here is no change of the page
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
}

function createFollower() {
  const elements = new WeakMap<Node, Element>();
  const originals = new WeakMap<Node, { text: Text; data: string }>();

  function putBack(text: Text, element: Element): void {
    elements.set(text, element);
    originals.set(element, { text, data: text.data });
    text.data = '';
    element.before(text);
  }

  /** The page has changed the text or removed it. */
  function dropTranslation(text: Node): void {
    elements.get(text)?.remove();
    elements.delete(text);
  }

  /** The translator has removed its element, to show the original. */
  function restore(element: Node): void {
    const { text, data } = originals.get(element) ?? {};
    if (text && elements.delete(text)) text.data = data ?? '';
  }

  return (record: MutationRecord): void => {
    if (record.type === 'characterData') dropTranslation(record.target);
    const { addedNodes, previousSibling, nextSibling } = record;
    const element = [...addedNodes, previousSibling, nextSibling].find(isTranslation);
    const isNew = element?.isConnected && !originals.has(element);
    for (const removed of record.removedNodes) {
      if (removed instanceof Text && element && isNew) putBack(removed, element);
      else if (isTranslation(removed)) restore(removed);
      else if (!removed.isConnected) dropTranslation(removed);
    }
  };
}

/** As the translators of Chromium, Edge and Firefox make them. */
const isTranslation = (node: Node | null): node is Element =>
  node instanceof Element && node.tagName === 'FONT';
