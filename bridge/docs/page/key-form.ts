/** The key form: verifies the key with one call, then sends it with every call. The key is kept in memory only. */
import type { SwaggerUi } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

interface Result {
  isValid: boolean;
  message: string;
}

/** @param onKey is told with which headers a key is sent; null: with none */
export function setUpKeyForm(ui: SwaggerUi, onKey: (headers: Record<string, string> | null) => void): void {
  const form = find('key-form', HTMLFormElement);
  const field = find('key', HTMLInputElement);
  const schemeSelect = find('key-header', HTMLSelectElement);
  let activeScheme: string | null = null;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const key = field.value.trim();
    if (activeScheme) ui.authActions.logout([activeScheme]);
    activeScheme = null;
    onKey(null);
    if (!key) return showStatus({ isValid: false, message: 'No key in use.' });
    const headers = headersFor(schemeSelect.value, key);
    const result = await verify(form.dataset['probe'] ?? '', headers);
    showStatus(result);
    if (!result.isValid) return;
    activeScheme = schemeSelect.value;
    ui.preauthorizeApiKey(activeScheme, key);
    onKey(headers);
  });
}

const headersFor = (scheme: string, key: string): Record<string, string> =>
  scheme === 'bearer' ? { Authorization: `Bearer ${key}` } : { 'X-API-Key': key };

async function verify(address: string, headers: Record<string, string>): Promise<Result> {
  try {
    const response = await fetch(address, { headers });
    if (!response.ok) return { isValid: false, message: (await response.json()).error.message };
    const [left, limit] = ['Remaining', 'Limit'].map((name) => response.headers.get(`X-RateLimit-${name}`));
    return { isValid: true, message: `Key in use: ${left} of ${limit} calls left this minute.` };
  } catch {
    return { isValid: false, message: 'The service cannot be reached; the key was not verified.' };
  }
}

function showStatus({ isValid, message }: Result): void {
  const status = find('key-status', HTMLElement);
  status.textContent = message;
  status.dataset['tone'] = isValid ? 'good' : 'bad';
}

function find<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`The page has no ${id}`);
  return element;
}
