/** The forms that send calls. The key in use is kept only in memory. */

type KeyHeaders = Record<string, string>;

export function setUpTrying(): void {
  let keyHeaders: KeyHeaders | null = null;
  /** The first item of each of the owner's lists, by the path of the list. */
  const firstItems = new Map<string, Promise<unknown>>();

  async function useKey(form: HTMLFormElement): Promise<void> {
    keyHeaders = null;
    firstItems.clear();
    const headers = readKey(form);
    const refusal = headers ? await verify(form, headers) : 'No key in use.';
    if (refusal !== null) return showStatus(form, refusal, 'bad');
    keyHeaders = headers;
    await fillIn();
  }

  /** Fills in the forms of the open endpoints, without changing what the reader has entered. */
  async function fillIn(): Promise<void> {
    if (!keyHeaders) return;
    for (const field of document.querySelectorAll<HTMLInputElement>('[open] > form [data-list]')) {
      const { list = '' } = field.dataset;
      const first = firstItems.get(list) ?? readFirst(list, keyHeaders);
      firstItems.set(list, first);
      field.defaultValue = fieldOf(await first, field.name) ?? field.defaultValue;
    }
  }

  document.addEventListener('toggle', fillIn, { capture: true });
  document.addEventListener('submit', (event) => {
    event.preventDefault();
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    void (form.id === 'key-form' ? useKey(form) : execute(form, keyHeaders ?? {}));
  });
}

function readKey(form: HTMLFormElement): KeyHeaders | null {
  const [key = '', header = ''] = fieldsOf(form).map(({ value }) => value.trim());
  if (key === '') return null;
  return header === 'X-API-Key' ? { [header]: key } : { Authorization: `Bearer ${key}` };
}

/** @returns why the key is refused, or null */
async function verify(form: HTMLFormElement, headers: KeyHeaders): Promise<string | null> {
  try {
    const response = await fetch(form.dataset['probe'] ?? '', { headers });
    if (!response.ok) return (await response.json()).error.message;
    const [left, limit] = ['Remaining', 'Limit'].map((name) => response.headers.get(`X-RateLimit-${name}`));
    showStatus(form, `Key in use: ${left} of ${limit} calls left this minute.`, 'good');
    return null;
  } catch {
    return 'The service cannot be reached; the key was not verified.';
  }
}

function showStatus(form: HTMLFormElement, text: string, tone: 'good' | 'bad' | '' = ''): void {
  const status = form.querySelector<HTMLElement>('[role=status]');
  if (!status) return;
  status.textContent = text;
  status.dataset['tone'] = tone;
}

const fieldsOf = (form: HTMLFormElement) => [
  ...form.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>('.input'),
];

/** @returns undefined if the key cannot read the list */
async function readFirst(list: string, headers: KeyHeaders): Promise<unknown> {
  try {
    const response = await fetch(list, { headers });
    const [items] = Object.values(await response.json()).filter(Array.isArray);
    return items?.[0];
  } catch {
    return undefined;
  }
}

/** For `server_identifier`, reads the item's field of that name, or else `identifier`. */
function fieldOf(item: unknown, name: string): string | undefined {
  const fields = new Map(Object.entries(item ?? {}));
  return (fields.get(name) ?? fields.get(name.replace(/^.*_/, '')))?.toString();
}

async function execute(form: HTMLFormElement, keyHeaders: KeyHeaders): Promise<void> {
  const output = form.querySelector('pre');
  if (!output) return;
  const { method = '' } = form.dataset;
  const { url, headers, body } = requestOf(form, keyHeaders);
  showStatus(form, 'Waiting for the response …');
  output.hidden = true;
  try {
    const startedAt = performance.now();
    const response = await fetch(url, { method, headers, body });
    output.textContent = `${formatHeaders(response)}\n${formatBody(await response.text())}`;
    output.hidden = false;
    const took = `${Math.round(performance.now() - startedAt)} ms`;
    showStatus(
      form,
      `${response.status} ${response.statusText} in ${took}: ${method} ${url}`,
      response.ok ? 'good' : 'bad',
    );
  } catch {
    showStatus(form, 'The service cannot be reached, or the request cannot be sent.', 'bad');
  }
}

function requestOf(form: HTMLFormElement, keyHeaders: KeyHeaders) {
  const headers = new Headers(keyHeaders);
  const query = new URLSearchParams();
  let path = form.dataset['path'] ?? '';
  let body: string | null = null;
  for (const { name, value, dataset } of fieldsOf(form).filter(({ value }) => value !== '')) {
    const place = dataset['in'];
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query') query.append(name, value);
    else if (place === 'header') headers.set(name, value);
    else body = value;
  }
  if (body !== null) headers.set('Content-Type', 'application/json');
  return { url: query.size > 0 ? `${path}?${query}` : path, headers, body };
}

const formatHeaders = ({ headers }: Response): string =>
  ['ETag', 'Location', 'Retry-After', 'Idempotency-Replayed', 'X-RateLimit-Remaining', 'X-Request-Id']
    .filter((name) => headers.has(name))
    .map((name) => `${name}: ${headers.get(name)}\n`)
    .join('');

function formatBody(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
