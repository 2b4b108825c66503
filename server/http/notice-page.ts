/** A page with one notice, for a browser that requested something else: styled like the account page, without scripts. */
import type Koa from 'koa';
import { type Brand, poweredBy } from '../../bridge/pages/brand.ts';
import { escapeHtml } from '../../bridge/pages/escape-html.ts';
import { parsedHeaderLengthMax } from '../../models/bounds.ts';

interface Notice {
  title: string;
  paragraphs: readonly string[];
  link?: { href: string; text: string };
  /** The label of a button that sends a POST to the page's own address. */
  button?: string;
  code?: string;
}

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/** Whether the client prefers HTML, as a browser does; a program that accepts anything gets JSON. */
export const wantsPage = (ctx: Pick<Koa.Context, 'accepts' | 'req'>): boolean =>
  (ctx.req.headers.accept?.length ?? 0) <= parsedHeaderLengthMax && ctx.accepts('json', 'html') === 'html';

type NoticeContext = Pick<Koa.Context, 'type' | 'set' | 'body'>;

export function respondNotice(
  ctx: NoticeContext,
  { title, paragraphs, ...notice }: Notice,
  { name }: Brand,
): void {
  const { link, button, code } = notice;
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', policy);
  ctx.body = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)} · ${escapeHtml(name)}</title>
    <link rel="icon" href="/account/logo">
    <link rel="stylesheet" href="/account/page.css">
  </head>
  <body id="page">
    <main class="sign-in">
      <span class="logo"><img src="/account/logo" alt="" width="28" height="28">${escapeHtml(name)}</span>
      <section class="card">
        <h1>${escapeHtml(title)}</h1>
        ${paragraphs.map((text) => `<p class="lede">${escapeHtml(text)}</p>`).join('\n        ')}
        ${button ? `<form method="post"><button class="button is-primary">${escapeHtml(button)}</button></form>` : ''}
        ${link ? `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>` : ''}
        ${code ? `<p class="note">For the app's developer: <code>${escapeHtml(code)}</code></p>` : ''}
      </section>
    </main>
    <footer class="powered-by">${poweredBy}</footer>
  </body>
</html>
`;
}

/** The caller sets the status. */
export const respondNotFound = (ctx: NoticeContext, brand: Brand): void =>
  respondNotice(ctx, notFoundNotice, brand);

const notFoundNotice: Notice = {
  title: 'Page not found',
  paragraphs: ['There is nothing at this address. Check it for typos, or go to your account.'],
  link: { href: '/account', text: 'Go to your account' },
};
