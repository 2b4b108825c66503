/** Pictures of pages for a person to look at: two widths, light and dark, in .cache/screenshots. */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const folder = fileURLToPath(new URL('../../.cache/screenshots/', import.meta.url));

export interface Look {
  name: string;
  /** Options of a visitor's browser. */
  options: {
    viewport: { width: number; height: number };
    colorScheme: 'light' | 'dark';
    deviceScaleFactor: number;
  };
}

const sizes = [
  { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 },
  { viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1 },
];

export const looks: Look[] = sizes.flatMap((size) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    name: `${size.viewport.width}-${colorScheme}`,
    options: { ...size, colorScheme },
  })),
);

/** Takes a picture of what is seen of a page, or of the whole page. */
export async function photograph(page: Page, name: string, { isWhole = false } = {}): Promise<void> {
  await page.screenshot({ path: `${folder}${name}.png`, fullPage: isWhole, animations: 'disabled' });
}
