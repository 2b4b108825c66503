/** Takes the reader's key, asks the service once whether it is good, and has every call carry it. It is kept nowhere else. */
import type { SwaggerUi } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

type Verdict = { isGood: boolean; words: string };

export function setUpKeyForm(ui: SwaggerUi): void {
  const form = find('key-form', HTMLFormElement);
  const field = find('key', HTMLInputElement);
  const choice = find('key-header', HTMLSelectElement);
  let inUse: string | null = null;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const key = field.value.trim();
    if (inUse) ui.authActions.logout([inUse]);
    inUse = null;
    if (!key) return say({ isGood: false, words: 'No key is in use.' });
    const verdict = await judge(form.dataset['probe'] ?? '', headersFor(choice.value, key));
    say(verdict);
    if (!verdict.isGood) return;
    inUse = choice.value;
    ui.preauthorizeApiKey(inUse, key);
  });
}

const headersFor = (scheme: string, key: string): Record<string, string> =>
  scheme === 'bearer' ? { Authorization: `Bearer ${key}` } : { 'X-API-Key': key };

async function judge(address: string, headers: Record<string, string>): Promise<Verdict> {
  try {
    const response = await fetch(address, { headers });
    if (!response.ok) return { isGood: false, words: (await response.json()).error.message };
    const [left, limit] = ['Remaining', 'Limit'].map((name) => response.headers.get(`X-RateLimit-${name}`));
    return { isGood: true, words: `This key is in use. It has ${left} of ${limit} calls left this minute.` };
  } catch {
    return { isGood: false, words: 'The service cannot be reached, so the key was not tried.' };
  }
}

function say({ isGood, words }: Verdict): void {
  const status = find('key-status', HTMLElement);
  status.textContent = words;
  status.dataset['tone'] = isGood ? 'good' : 'bad';
}

function find<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${id}`);
  return element;
}
