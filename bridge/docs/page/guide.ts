/** The guide in the browser: the current section in the table of contents, and a copy button at every code sample and heading. */
import { copyText } from './copy.ts';

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

export function addCopyButtons(): void {
  for (const sample of document.querySelectorAll('.guide pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy-button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => copyText(sample.textContent.trimEnd(), button));
    const frame = document.createElement('div');
    frame.className = 'sample';
    sample.replaceWith(frame);
    frame.append(sample, button);
  }
}

/** Follows the link as well: the address in the bar is what is copied. */
export function copyHeadingLinks(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.heading-link'))
    link.addEventListener('click', () => copyText(link.href, link));
}
