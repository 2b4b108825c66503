/** Copies a text to the clipboard, and says on the button how that went. */

const shownForMs = 1500;

export async function copyText(text: string, button: HTMLElement): Promise<void> {
  const { textContent } = button;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Select and copy it manually';
  }
  setTimeout(() => {
    button.textContent = textContent;
  }, shownForMs);
}
