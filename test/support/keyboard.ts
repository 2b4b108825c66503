/** A page operated by keyboard alone. */
import type { Locator } from 'playwright-core';
import type { AccountPageFixture } from './account-page.ts';

export function createKeyboard(at: AccountPageFixture) {
  const focused = (element: Locator) => element.and(at.page.locator(':focus'));

  /** Presses Tab until the focus is there. */
  async function tabTo(element: Locator): Promise<void> {
    await element.waitFor();
    for (let count = 0; count < 100; count += 1) {
      if ((await focused(element).count()) > 0) return;
      await at.page.keyboard.press('Tab');
    }
    throw new Error('Tab never reaches the element');
  }

  return {
    tabTo,
    hasFocus: (element: Locator) => focused(element).waitFor(),
    async press(element: Locator, key = 'Enter'): Promise<void> {
      await tabTo(element);
      await at.page.keyboard.press(key);
    },
    async write(element: Locator, text: string): Promise<void> {
      await tabTo(element);
      await at.page.keyboard.type(text);
    },
  };
}
