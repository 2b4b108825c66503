/** Marks in the contents where the reader is, and closes them, where they lie over the page, once a link is taken. */
export function setUpContents(): void {
  const contents = document.getElementById('contents');
  if (!contents) return;
  contents.addEventListener('click', ({ target }) => {
    const isLink = target instanceof Element && target.closest('a');
    if (isLink && contents.matches(':popover-open')) contents.hidePopover();
  });
  const links = new Map([...contents.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const follow = () => mark(contents, links, current());
  addEventListener('scroll', follow, { passive: true });
  follow();
}

/** The last section or operation that has passed the upper third of the window. */
const current = (): string | undefined =>
  [...document.querySelectorAll('.guide h2, #endpoints, .opblock')].findLast(
    (place) => place.getBoundingClientRect().top < innerHeight / 3,
  )?.id;

function mark(contents: HTMLElement, links: Map<string, HTMLAnchorElement>, id: string | undefined): void {
  const marked = contents.querySelector('[aria-current]');
  const link = links.get(id ?? '');
  if (marked === (link ?? null)) return;
  marked?.removeAttribute('aria-current');
  link?.setAttribute('aria-current', 'location');
  if (link && !isSeen(link, contents)) contents.scrollTop = link.offsetTop - contents.clientHeight / 2;
}

const isSeen = ({ offsetTop, offsetHeight }: HTMLElement, { scrollTop, clientHeight }: HTMLElement) =>
  offsetTop >= scrollTop && offsetTop + offsetHeight <= scrollTop + clientHeight;
