/**
 * Keeps what the address points at in its place while the page around it is still laid out: Swagger UI replaces the list of
 * operations, and opens one, after the browser has gone there. Ends as soon as the reader does anything.
 */

const readerEvents = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

export function holdLanding(): void {
  let isHeld = location.hash !== '';
  const release = () => {
    isHeld = false;
  };
  const goThere = () => {
    if (isHeld) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  };
  for (const type of readerEvents) addEventListener(type, release, { capture: true, passive: true });
  addEventListener('hashchange', () => {
    isHeld = true;
    goThere();
  });
  new ResizeObserver(goThere).observe(document.body);
}
