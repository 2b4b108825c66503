/**
 * Pages in all their states: each look fits and axe finds nothing serious. PICTURES=true checks every combination of
 * width and color scheme, and leaves pictures in .cache/screenshots for a person to look at.
 */
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { overflowWidth } from './account-page.ts';
import { findAccessibilityViolations, useBrowser } from './browser.ts';
import { startTestService, type TestService } from './service.ts';
import { useStarted } from './use-started.ts';

const folder = fileURLToPath(new URL('../../.cache/screenshots/', import.meta.url));
const takesPictures = process.env['PICTURES'] === 'true';

interface Appearance {
  name: string;
  options: {
    viewport: { width: number; height: number };
    colorScheme: 'light' | 'dark';
    deviceScaleFactor: number;
  };
}

const sizes = [
  { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2 },
  { viewport: { width: 768, height: 1024 }, deviceScaleFactor: 1 },
  { viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1 },
  { viewport: { width: 1600, height: 1000 }, deviceScaleFactor: 1 },
];

const allAppearances: Appearance[] = sizes.flatMap((size) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    name: `${size.viewport.width}-${colorScheme}`,
    options: { ...size, colorScheme },
  })),
);

/** Colors do not depend on the width, so two looks show the usual widths and each color scheme. */
export const appearances = takesPictures
  ? allAppearances
  : allAppearances.filter(({ name }) => ['360-dark', '1280-light'].includes(name));

/** Nothing is loading, and no font is missing. */
const isDrawn = `document.fonts.status === 'loaded' &&
  !document.querySelector('.bone, .spinner, [aria-busy="true"]')`;

interface ScreenshotOptions {
  isWhole?: boolean;
  /** False when a later picture of the same page is checked, as axe takes many seconds on a large page. */
  checksAccessibility?: boolean;
}

/** Waits until a page is drawn, takes the picture, and expects that the page is accessible. */
export async function checkAndCapture(
  page: Page,
  name: string,
  { isWhole = false, checksAccessibility = true }: ScreenshotOptions = {},
): Promise<void> {
  // Otherwise axe would check a dialog before it has faded in.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // No element is in its hover state.
  await page.mouse.move(0, 0);
  await page.waitForFunction(isDrawn);
  expect(await overflowWidth(page), `pixels beyond the width of ${name}`).to.equal(0);
  if (checksAccessibility) expect(await findAccessibilityViolations(page), name).to.deep.equal([]);
  if (takesPictures)
    await page.screenshot({ path: `${folder}${name}.png`, fullPage: isWhole, animations: 'disabled' });
}

export type TakeScreenshot = (name: string, framing?: ScreenshotOptions) => Promise<void>;

interface Visit {
  service: TestService;
  look: Appearance;
  open(path: string): Promise<{ page: Page; shoot: TakeScreenshot }>;
}

interface ScreenshotSeries {
  /** The prefix of picture names. */
  name: string;
  shows: string;
  start?: () => Promise<TestService>;
  prepare?(service: TestService): void | Promise<void>;
  stop?(): void | Promise<void>;
  /** Replaces the usual looks. */
  seenIn?: Appearance[];
  visit(visit: Visit): Promise<void>;
}

/** A test for each look, on one service. */
export function describeAppearances({
  name,
  shows,
  start = startTestService,
  prepare,
  stop,
  visit,
  seenIn = appearances,
}: ScreenshotSeries): void {
  describe(shows, () => {
    const browser = useBrowser();
    const service = useStarted(start);

    before(() => prepare?.(service));
    after(() => stop?.());

    for (const look of seenIn)
      it(`can be shown without overflow or serious axe violations, ${look.name}`, async () => {
        await visit({
          ...{ service, look },
          async open(path) {
            const visitor = await browser.newVisitor(service.url, look.options);
            const page = await visitor.openTab(path);
            const shoot: TakeScreenshot = (title, framing) =>
              checkAndCapture(page, `${name}-${title}-${look.name}`, framing);
            return { page, shoot };
          },
        });
      });
  });
}
