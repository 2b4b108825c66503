/** Entry point of the docs page's script. The page's HTML is complete, and readable without the script. */
import { setUpSearch } from './search.ts';
import { setUpTrying } from './try.ts';

setUpContents();
setUpCopying();
setUpSamples();
setUpSearch();
setUpTrying();
addEventListener('hashchange', openTarget);
openTarget();

function openTarget(): void {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
}

/** Marks the visible section in the table of contents, which is a popover in a narrow window. */
function setUpContents(): void {
  const contents = document.getElementById('contents');
  const links = new Map(
    [...(contents?.querySelectorAll('a') ?? [])].map((link) => [link.hash.slice(1), link]),
  );
  contents?.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') && contents.matches(':popover-open'))
      contents.hidePopover();
  });
  const sections = [...document.querySelectorAll('h2, .operation')];
  let marked: Element | undefined;
  const update = () => {
    const current = sections.findLast(
      (section) => section.checkVisibility() && section.getBoundingClientRect().top < innerHeight / 3,
    );
    const link = links.get(current?.id ?? '');
    if (link === marked) return;
    marked?.removeAttribute('aria-current');
    link?.setAttribute('aria-current', 'location');
    link?.scrollIntoView({ block: 'nearest' });
    marked = link;
  };
  addEventListener('scroll', update, { passive: true });
  update();
}

/** A language chosen in one endpoint is chosen in all. */
function setUpSamples(): void {
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'radio') return;
    for (const radio of document.querySelectorAll<HTMLInputElement>('.samples input'))
      radio.checked ||= radio.value === target.value;
  });
}

/** Copies code, and links to headings and endpoints. The browser also follows a copied link, so the address bar shows it. */
function setUpCopying(): void {
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    const button = target.closest<HTMLElement>('.copy-button, .heading-link, .copy-link');
    if (button instanceof HTMLAnchorElement) void copy(button.href, button);
    else if (button) void copy(button.previousElementSibling?.textContent?.trimEnd() ?? '', button);
  });
}

async function copy(text: string, button: HTMLElement): Promise<void> {
  const { textContent, ariaLabel, dataset } = button;
  if ('copied' in dataset) return; // the button still shows the last outcome
  dataset['copied'] = '';
  const written = navigator.clipboard?.writeText(text) ?? Promise.reject();
  button.textContent = await written.then(
    () => 'Copied',
    () => 'Select and copy it manually',
  );
  button.ariaLabel = null;
  setTimeout(() => {
    Object.assign(button, { textContent, ariaLabel });
    delete dataset['copied'];
  }, 1500);
}
