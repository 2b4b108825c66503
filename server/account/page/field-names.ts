/** Names fields in messages of the service as the form labels them. */

/** What a form does not label: of an action beside one. */
const others: Record<string, string> = {
  name: 'The name',
  expires_at: 'The expiry date',
  file: 'The path',
  directory: 'The path',
  to: 'The new path',
  command: 'The command',
  content: 'The text',
};

/** A message starts with a lower-case letter only where it starts with a field's path, as in `plans.0.title must be`. */
const path = /(?<=^|; )([a-z]\w*)((?:\.\w+)*)(?= )/g;

export const withFieldNames = (message: string, form?: HTMLFormElement): string =>
  message.replace(path, (named, field: string, inner: string) => {
    const [last = field] = inner
      .split('.')
      .filter((part) => /^[a-z]/i.test(part))
      .slice(-1);
    const label = form && labelIn(form, last);
    const name = label ? `“${label}”` : others[last];
    if (name === undefined) return named;
    return /\.\d+$/.test(inner) ? `Each of ${name.replace(/^The/, 'the')}` : name;
  });

/** The one that a message begins with. */
export const fieldOf = (message: string): string | undefined => /^[a-z]\w*(?=(?:\.\w+)* )/.exec(message)?.[0];

/** A choice of several has the name of one. */
function labelIn(form: HTMLFormElement, field: string): string | undefined {
  const found = form.elements.namedItem(field) ?? form.elements.namedItem(field.replace(/s$/, ''));
  const input = found instanceof RadioNodeList ? found[0] : found;
  if (!(input instanceof HTMLElement)) return undefined;
  const isChoice = input instanceof HTMLInputElement && ['checkbox', 'radio'].includes(input.type);
  const label = isChoice
    ? input.closest('fieldset')?.querySelector('legend')
    : form.querySelector(`label[for="${input.id}"]`);
  return label?.textContent.trim() || undefined;
}
