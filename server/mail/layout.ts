/** The one layout of all mails: plain text first, and the same as simple HTML that fetches nothing. */
import { escapeHtml } from '../../bridge/pages/escape-html.ts';
import type { Notice } from './notices.ts';

export interface MailBrand {
  name: string;
  publicUrl: string;
  logo?: Picture | undefined;
}

export interface Picture {
  contentType: string;
  bytes: Buffer;
}

interface Additions {
  /** Turns off mails of this kind with one click. */
  unsubscribeUrl?: string | undefined;
  footer?: readonly string[];
}

const unsubscribe = 'Turn off these mails';

export function writeNotice(
  brand: MailBrand,
  notice: Notice,
  { unsubscribeUrl, footer = [] }: Additions = {},
) {
  const { subject, paragraphs, quote, list, button } = notice;
  const { why = 'You get this mail because of your account' } = notice;
  const urlOf = (path: string) => `${brand.publicUrl}${path}`;
  const last = [`${why} at ${brand.name}.`, ...footer];
  const parts: Part[] = [
    ...paragraphs.map((text): Part => [text, paragraph(css.text, escapeHtml(text))]),
    ...(quote === undefined ? [] : [quotation(quote)]),
    ...(list ? [listOf(list.map(({ text, path }) => ({ label: text, url: urlOf(path) })))] : []),
    linkPart({ label: button.label, url: urlOf(button.path) }, css.text, css.button),
    [
      // Mail programs recognize a signature by this line.
      ['-- ', brand.name, ...last].join('\n'),
      last.map((text) => paragraph(css.footer, escapeHtml(text))).join('\n'),
    ],
    ...(unsubscribeUrl ? [linkPart({ label: unsubscribe, url: unsubscribeUrl }, css.footer, css.link)] : []),
  ];
  return {
    subject,
    text: `${parts.map(([text]) => text).join('\n\n')}\n`,
    html: page(brand, parts.map(([, html]) => html).join('\n')),
  };
}

type Part = [text: string, html: string];

interface Link {
  label: string;
  url: string;
}

const quotation = (text: string): Part => [
  text.replace(/^/gm, '> '),
  `<blockquote style="${css.quote}">${escapeHtml(text)}</blockquote>`,
];

const listOf = (links: readonly Link[]): Part => [
  links.map(({ label, url }) => `- ${label}\n  ${url}`).join('\n\n'),
  `<ul>${links.map((each) => `<li>${anchor(each, css.link)}</li>`).join('')}</ul>`,
];

const linkPart = (link: Link, outer: string, inner: string): Part => [
  `${link.label}:\n${link.url}`,
  paragraph(outer, anchor(link, inner)),
];

const paragraph = (style: string, html: string) => `<p style="${style}">${html}</p>`;

const anchor = ({ label, url }: Link, style: string) =>
  `<a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a>`;

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

function page({ name, logo }: MailBrand, content: string): string {
  const shown = escapeHtml(name);
  const title = logo ? `<img src="cid:logo" alt="${shown}" height="40">` : shown;
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${shown}</title></head>`,
    `<body style="${css.body}"><main style="${css.main}">`,
    `<h1 style="${css.title}">${title}</h1>`,
    content,
    '</main></body></html>',
  ].join('\n');
}
