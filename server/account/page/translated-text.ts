/**
 * Lets the browser translate the page. A translator replaces each text node with an element. React and Preact still
 * hold the old node: they update text that is not shown, or throw because it has no parent any more. So the old node
 * is put back, empty, and the translation is removed when the page changes the text.
 */

export function surviveTranslation(root: Node): void {
  const follow = createFollower();
  const observer = new MutationObserver((records) => {
    for (const record of records) follow(record);
    observer.takeRecords(); // drops the records of our own changes
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

  function dropTranslation(text: Node): void {
    elements.get(text)?.remove();
    elements.delete(text);
  }

  /** The translator removed its element, to show the original. */
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

/** As created by the translators of Chromium, Edge and Firefox. */
const isTranslation = (node: Node | null): node is Element =>
  node instanceof Element && node.tagName === 'FONT';
