/** The guide in the browser: the current section in the table of contents, and a copy button at every code sample. */

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

const shownForMs = 1500;

export function addCopyButtons(): void {
  for (const sample of document.querySelectorAll('.guide pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy-button';
    button.textContent = 'Copy';
    button.addEventListener('click', () => copy(sample, button));
    const frame = document.createElement('div');
    frame.className = 'sample';
    sample.replaceWith(frame);
    frame.append(sample, button);
  }
}

async function copy(sample: Element, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(sample.textContent.trimEnd());
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Select and copy it manually';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, shownForMs);
}
