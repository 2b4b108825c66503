/** Entry point of the docs page's script: mounts Swagger UI below the guide, which is already in the HTML. */

import { surviveTranslation } from '../../pages/translated-text.ts';
import { addCopyButtons, copyHeadingLinks, setUpContents } from './guide.ts';
import { setUpKeyForm } from './key-form.ts';
import { holdLanding } from './landing.ts';
import { loadDescription, mountOperations, openFromHash } from './operations.ts';
import { setUpOperatorsSwitch } from './operators.ts';
import { createOwnValues } from './own-values.ts';
import { setUpSearch } from './search.ts';

setUpOperatorsSwitch();
addCopyButtons();
copyHeadingLinks();
setUpContents();
setUpSearch();
holdLanding();

const container = document.getElementById('operations');
if (container) {
  surviveTranslation(container);
  try {
    const description = await loadDescription(container.dataset['description'] ?? '');
    const ownValues = createOwnValues(description, description.servers[0].url);
    const ui = await mountOperations(description, { container, onOpen: ownValues.onOpen });
    setUpKeyForm(ui, (headers) => ownValues.onKey(ui, headers));
    openFromHash(ui);
  } catch {
    const note = document.createElement('p');
    note.className = 'note is-danger';
    note.textContent = 'The endpoints could not be loaded to be tried. Reload the page to try again.';
    container.prepend(note);
  }
}
