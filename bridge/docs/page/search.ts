/** Searches an index of the page itself: the sections of the guide with their text, and the endpoints. */

interface Entry {
  title: string;
  /** In lower case: all words by which a search finds the entry. */
  words: string;
  address: string;
}

const resultsMax = 12;

export function setUpSearch(): void {
  const form = document.getElementById('search-form');
  const field = document.getElementById('search');
  const list = document.getElementById('search-results');
  const status = document.getElementById('search-status');
  if (!form || !(field instanceof HTMLInputElement) || !list || !status) return;
  const entries = readEntries();
  const show = () => {
    const found = find(entries, field.value);
    list.replaceChildren(...found.map(createResult));
    status.textContent = field.value.trim() === '' ? '' : `${found.length || 'No'} results`;
  };
  field.addEventListener('input', show);
  form.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.findIndex((link) => link.matches(':focus'));
    if (event.key === 'Enter' && at < 0) links[0]?.click();
    else if (event.key === 'ArrowDown') links[at + 1]?.focus();
    else if (event.key === 'ArrowUp') (links[at - 1] ?? field).focus();
    else if (event.key === 'Escape') {
      field.value = '';
      field.focus();
      show();
    } else return;
    event.preventDefault();
  });
  addEventListener('keydown', (event) => openBySlash(event, field));
}

/** In a narrow window, the search field is in the popover of the contents. */
function openBySlash(event: KeyboardEvent, field: HTMLInputElement): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const isTyping = target instanceof Element && target.closest('input, textarea, select');
  if (key !== '/' || isTyping || ctrlKey || metaKey || altKey) return;
  event.preventDefault();
  if (!field.checkVisibility()) document.getElementById('contents')?.showPopover();
  field.focus();
}

function readEntries(): Entry[] {
  const operations = [...document.querySelectorAll('.operation')].map((operation) => {
    const [method, path, summary] = [...(operation.firstElementChild?.children ?? [])].map(textOf);
    return entryOf(operation, `${method} ${summary}`, `${path} ${operation.id}`);
  });
  const sections = [...document.querySelectorAll('.guide h2')].map((heading) => {
    const title = heading.firstChild?.textContent?.trim() ?? '';
    return entryOf(heading, title, [...textsBelow(heading)].join(' '));
  });
  return [...operations, ...sections];
}

const textOf = ({ textContent }: Element) => textContent;

const entryOf = ({ id }: Element, title: string, words: string): Entry => ({
  title,
  words: `${title} ${words}`.toLowerCase(),
  address: `#${id}`,
});

function* textsBelow(heading: Element): Generator<string> {
  for (let next = heading.nextElementSibling; next && next.tagName !== 'H2'; next = next.nextElementSibling)
    yield next.textContent;
}

/** Finds entries that contain all words, those with all of them in the title first. */
function find(entries: readonly Entry[], query: string): Entry[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [];
  const hasAll = (text: string) => wanted.every((word) => text.includes(word));
  const isNamed = ({ title }: Entry) => hasAll(title.toLowerCase());
  return entries
    .filter(({ words }) => hasAll(words))
    .toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a)))
    .slice(0, resultsMax);
}

function createResult({ title, address }: Entry): HTMLLIElement {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = address;
  link.textContent = title;
  item.append(link);
  return item;
}
