/** The one layout of all mails: plain text first, and the same as simple HTML that fetches nothing. */
import { escapeHtml } from '../../bridge/pages/escape-html.ts';
import type { Notice } from './notices.ts';

/** What a mail shows of the host. */
export interface Brand {
  name: string;
  /** Where the account page is found. */
  publicUrl: string;
  logo?: Picture | undefined;
}

export interface Picture {
  contentType: string;
  bytes: Buffer;
}

export interface Content {
  /** Plain text, as all of a mail is. */
  paragraphs: readonly string[];
  /** What another has written. */
  quote?: string;
  list?: readonly { text: string; url: string }[];
  button?: { label: string; url: string };
  /** Why it comes, and what may be done about it. */
  footer: readonly string[];
  /** One click ends mails of this kind. */
  unsubscribeUrl?: string | undefined;
}

interface Written {
  unsubscribeUrl?: string | undefined;
  /** What else is said at its end. */
  footer?: readonly string[];
}

/** Writes a notice as a mail of the host: its texts, and where its links lead. */
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

export function layout(brand: Brand, content: Content): { text: string; html: string } {
  return { text: writeText(brand, content), html: writeHtml(brand, content) };
}

const unsubscribe = 'Turn such mails off';

function writeText(
  brand: Brand,
  { paragraphs, quote, list, button, footer, unsubscribeUrl }: Content,
): string {
  const parts = [
    ...paragraphs,
    ...(quote === undefined ? [] : [quote.replace(/^/gm, '> ')]),
    ...(list ?? []).map(({ text, url }) => `- ${text}\n  ${url}`),
    ...(button ? [`${button.label}:\n${button.url}`] : []),
    // By this line mail programs tell a signature from the text.
    ['-- ', brand.name, ...footer].join('\n'),
    ...(unsubscribeUrl ? [`${unsubscribe}:\n${unsubscribeUrl}`] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

const css = {
  body: 'margin:0;padding:24px 12px;background:#f4f4f5;color:#18181b;font:16px/1.5 system-ui,sans-serif',
  main: 'max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #d4d4d8;border-radius:8px',
  title: 'margin:0 0 16px;font-size:18px;overflow-wrap:anywhere',
  text: 'margin:0 0 16px;white-space:pre-wrap;overflow-wrap:anywhere',
  quote:
    'margin:0 0 16px;padding:8px 16px;border-left:4px solid #a1a1aa;white-space:pre-wrap;overflow-wrap:anywhere',
  button:
    'display:inline-block;padding:10px 18px;background:#1d4ed8;color:#ffffff;border-radius:6px;text-decoration:none',
  footer: 'margin:16px 0 0;color:#52525b;font-size:13px;overflow-wrap:anywhere',
  link: 'color:#1d4ed8',
};

function writeHtml(brand: Brand, content: Content): string {
  const { paragraphs, quote, list, button, footer, unsubscribeUrl } = content;
  const name = escapeHtml(brand.name);
  const title = brand.logo ? `<img src="cid:logo" alt="${name}" height="40">` : name;
  const items = (list ?? []).map(({ text, url }) => `<li>${link({ label: text, url }, css.link)}</li>`);
  const parts = [
    `<h1 style="${css.title}">${title}</h1>`,
    ...paragraphs.map((text) => `<p style="${css.text}">${escapeHtml(text)}</p>`),
    ...(quote === undefined ? [] : [`<blockquote style="${css.quote}">${escapeHtml(quote)}</blockquote>`]),
    ...(items.length > 0 ? [`<ul>${items.join('')}</ul>`] : []),
    ...(button ? [`<p style="${css.text}">${link(button, css.button)}</p>`] : []),
    ...footer.map((text) => `<p style="${css.footer}">${escapeHtml(text)}</p>`),
    ...(unsubscribeUrl
      ? [`<p style="${css.footer}">${link({ label: unsubscribe, url: unsubscribeUrl }, css.link)}</p>`]
      : []),
  ];
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title></head>`,
    `<body style="${css.body}"><main style="${css.main}">`,
    ...parts,
    '</main></body></html>',
  ].join('\n');
}

const link = ({ label, url }: { label: string; url: string }, style: string) =>
  `<a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a>`;
