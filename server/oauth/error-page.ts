/** What a browser shows of a request that cannot be sent back to its app, and apps read as JSON. */
import type Koa from 'koa';

interface Problem {
  error: string;
  error_description?: string | undefined;
}

export function respondErrorPage(ctx: Koa.Context, { error, error_description: description = '' }: Problem) {
  if (ctx.accepts('json', 'html') !== 'html') {
    ctx.body = { error, error_description: description };
    return;
  }
  ctx.type = 'html';
  ctx.body = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>The app could not be connected</title>
  <main>
    <h1>The app could not be connected</h1>
    <p>${escaped(description || error)}.</p>
    <p>Close this page and start again in the app. For its developer: <code>${escaped(error)}</code></p>
  </main>
</html>
`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
