/** Adds a copy button to every code sample of the guide. */
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
