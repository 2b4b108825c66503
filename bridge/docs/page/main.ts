/** Entry point of the docs page's script: mounts Swagger UI below the guide, which is already in the HTML. */
import { addCopyButtons, setUpContents } from './guide.ts';
import { setUpKeyForm } from './key-form.ts';
import { loadDescription, mountOperations, openFromHash } from './operations.ts';

addCopyButtons();
setUpContents();

const container = document.getElementById('operations');
if (container) {
  try {
    const ui = await mountOperations(
      await loadDescription(container.dataset['description'] ?? ''),
      container,
    );
    setUpKeyForm(ui);
    openFromHash(ui);
  } catch {
    container.textContent = 'The endpoints could not be loaded. Reload the page to try again.';
  }
}
