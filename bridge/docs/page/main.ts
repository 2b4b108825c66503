/** Where the docs page's script begins: the text is there already, the endpoints to try are not. */
import { fillInBaseUrl } from './base-url.ts';
import { setUpContents } from './contents.ts';
import { addCopyButtons } from './copy-buttons.ts';
import { loadDescription } from './description.ts';
import { setUpKeyForm } from './key-form.ts';
import { openFromAddress } from './open-from-address.ts';
import { mountOperations } from './operations.ts';

fillInBaseUrl();
addCopyButtons();
setUpContents();

const place = document.getElementById('operations');
if (place) {
  try {
    const ui = await mountOperations(await loadDescription(place.dataset['description'] ?? ''), place);
    setUpKeyForm(ui);
    openFromAddress(ui);
  } catch {
    place.textContent = 'The endpoints could not be loaded. Reload the page to try again.';
  }
}
