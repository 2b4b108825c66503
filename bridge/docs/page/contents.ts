/** Highlights the current section in the table of contents; in narrow windows, closes the popover after a click. */
export function setUpContents(): void {
  const contents = document.getElementById('contents');
  if (!contents) return;
  contents.addEventListener('click', ({ target }) => {
    const isLink = target instanceof Element && target.closest('a');
    if (isLink && contents.matches(':popover-open')) contents.hidePopover();
  });
  const links = new Map([...contents.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const update = () => mark(contents, links, current());
  addEventListener('scroll', update, { passive: true });
  update();
}

/** The id of the last section or operation above the upper third of the window. */
const current = (): string | undefined =>
  [...document.querySelectorAll('.guide h2, #endpoints, .opblock')].findLast(
    (section) => section.getBoundingClientRect().top < innerHeight / 3,
  )?.id;

function mark(contents: HTMLElement, links: Map<string, HTMLAnchorElement>, id: string | undefined): void {
  const marked = contents.querySelector('[aria-current]');
  const link = links.get(id ?? '');
  if (marked === (link ?? null)) return;
  marked?.removeAttribute('aria-current');
  link?.setAttribute('aria-current', 'location');
  if (link && !isVisible(link, contents)) contents.scrollTop = link.offsetTop - contents.clientHeight / 2;
}

const isVisible = ({ offsetTop, offsetHeight }: HTMLElement, { scrollTop, clientHeight }: HTMLElement) =>
  offsetTop >= scrollTop && offsetTop + offsetHeight <= scrollTop + clientHeight;
