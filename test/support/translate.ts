/** A browser's translation, in its effect on a page. */
import type { Page } from 'playwright-core';

/** Like Chromium's translation, replaces each text by elements with the translated one, including later additions. */
export const translate = (page: Page) =>
  page.evaluate(`(() => {
    const translated = (node) => node.parentElement?.closest('font') || !node.data.trim();
    const visit = (root) => {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const found = [];
      while (texts.nextNode()) found.push(texts.currentNode);
      if (root instanceof Text) found.push(root);
      for (const text of found) {
        if (translated(text) || !text.isConnected) continue;
        const outer = document.createElement('font');
        const inner = document.createElement('font');
        inner.textContent = '«' + text.data.trim() + '»';
        outer.append(inner);
        text.replaceWith(outer);
      }
    };
    visit(document.body);
    new MutationObserver((records) => {
      for (const { type, target, addedNodes } of records) {
        if (type === 'characterData') visit(target);
        for (const node of addedNodes) visit(node);
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  })()`);
