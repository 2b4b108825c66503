/** Turns a kind of mail off by one click: a page with a button for people, and a POST for their mail programs (RFC 8058). */
import type { Brand } from '../../bridge/pages/brand.ts';
import { createPageProtocol, type Protocol, type RequestContext } from '../../bridge/protocol.ts';
import type { Models } from '../../models/index.ts';
import { notFound } from '../../routers/errors.ts';
import { noticeSentences } from '../../routers/schemas/notice.ts';
import { respondNotice } from '../http/notice-page.ts';

export const unsubscribePath = '/account/mail/off';

/** Without a session: the token in the address says whose mail it is, and proves that it came by mail. */
export const createUnsubscribe = ({ notices }: Pick<Models, 'notices'>, brand: Brand): Protocol =>
  createPageProtocol(async (ctx) => {
    const { method } = ctx.state.request;
    const wanted = await notices.readUnsubscription(tokenOf(ctx));
    const isKnown =
      wanted !== null && (method !== 'POST' || (await notices.change(wanted.userId, { off: [wanted.kind] })));
    if (!isKnown) throw notFound('Page');
    const sentence = noticeSentences[wanted.kind];
    if (method === 'POST')
      respondNotice(ctx, { ...done, paragraphs: [`Off from now on: ${sentence}`, again] }, brand);
    else
      respondNotice(
        ctx,
        { title: 'Turn these mails off?', paragraphs: [sentence], button: 'Turn them off' },
        brand,
      );
    return null;
  });

const done = { title: 'These mails are off', link: { href: '/account', text: 'Go to your account' } };
const again = 'You can turn them on again on your account page, at Mail in the menu.';

/** Addresses with a token twice are not ours. */
function tokenOf(ctx: RequestContext): string {
  const { token } = ctx.query;
  return typeof token === 'string' ? token : '';
}
