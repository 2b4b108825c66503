/** Pictures of pages for a person to look at: two widths, light and dark, in .cache/screenshots. axe looks at each too. */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { seriousBarriers } from './browser.ts';

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

/** Nothing is loading, and no font is missing. */
const isDrawn = `document.fonts.status === 'loaded' &&
  !document.querySelector('.bone, .spinner, .loading-container, [aria-busy="true"]')`;

interface Framing {
  /** The whole page, not only what is seen of it. */
  isWhole?: boolean;
  /** False where another test has axe look at the page, which takes many seconds on a large one. */
  isJudged?: boolean;
}

/** Takes a picture of a page once it is drawn, and expects that everybody can use what it shows. */
export async function photograph(
  page: Page,
  name: string,
  { isWhole = false, isJudged = true }: Framing = {},
): Promise<void> {
  // Otherwise a dialog that fades in would be looked at before it is there.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // Nothing looks as if the mouse were over it.
  await page.mouse.move(0, 0);
  await page.waitForFunction(isDrawn);
  if (isJudged) expect(await seriousBarriers(page), name).to.deep.equal([]);
  await page.screenshot({ path: `${folder}${name}.png`, fullPage: isWhole, animations: 'disabled' });
}
