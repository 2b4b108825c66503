/** Marks in the contents where the reader is, and closes them, where they lie over the page, once a link is taken. */
export function setUpContents(): void {
  const contents = document.getElementById('contents');
  if (!contents) return;
  contents.addEventListener('click', ({ target }) => {
    const isLink = target instanceof Element && target.closest('a');
    if (isLink && contents.matches(':popover-open')) contents.hidePopover();
  });
  const links = new Map([...contents.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const headings = [...document.querySelectorAll('.guide h2')];
  addEventListener('scroll', () => mark(links, current(headings)), { passive: true });
  mark(links, current(headings));
}

/** The last heading that has passed the upper third of the window. */
const current = (headings: Element[]): string | undefined =>
  headings.findLast((heading) => heading.getBoundingClientRect().top < innerHeight / 3)?.id;

function mark(links: Map<string, HTMLAnchorElement>, id: string | undefined): void {
  for (const [name, link] of links) {
    if (name === id) link.setAttribute('aria-current', 'location');
    else link.removeAttribute('aria-current');
  }
}
