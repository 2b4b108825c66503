/** Copies a text to the clipboard, and says in place of the button's own text how that went. */

const shownForMs = 1500;

export async function copyText(text: string, button: HTMLElement): Promise<void> {
  button.dataset['text'] ??= button.textContent;
  say(button, await tryToCopy(text));
  setTimeout(() => {
    button.textContent = button.dataset['text'] ?? '';
    button.ariaLabel = button.dataset['label'] ?? null;
  }, shownForMs);
}

/** A name of the button that is no text would hide what is said. */
function say(button: HTMLElement, message: string): void {
  button.textContent = message;
  if (button.ariaLabel === null) return;
  button.dataset['label'] ??= button.ariaLabel;
  button.ariaLabel = message;
}

async function tryToCopy(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'Select and copy it manually';
  }
}
