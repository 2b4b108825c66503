/** Writes a notice as a mail of the host: its texts, and where its links lead. */
import { type Brand, layout } from './layout.ts';
import type { Notice } from './notices.ts';

interface Written {
  unsubscribeUrl?: string | undefined;
  /** What else is said at its end. */
  footer?: readonly string[];
}

export function writeNotice(brand: Brand, notice: Notice, { unsubscribeUrl, footer = [] }: Written = {}) {
  const {
    subject,
    paragraphs,
    quote,
    list,
    button,
    why = 'You get this mail because of your account',
  } = notice;
  const urlOf = (path: string) => `${brand.publicUrl}${path}`;
  const content = {
    paragraphs,
    ...(quote !== undefined && { quote }),
    ...(list && { list: list.map(({ text, path }) => ({ text, url: urlOf(path) })) }),
    button: { label: button.label, url: urlOf(button.path) },
    footer: [`${why} at ${brand.name}.`, ...footer],
    unsubscribeUrl,
  };
  return { subject, ...layout(brand, content) };
}
