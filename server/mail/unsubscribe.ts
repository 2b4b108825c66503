/** One-click unsubscribe: a page with a button for people, and a POST for mail programs (RFC 8058). */
import type { Brand } from '../../bridge/pages/brand.ts';
import {
  allowResponse,
  createPageProtocol,
  type Protocol,
  type RequestContext,
} from '../../bridge/protocol.ts';
import type { Models } from '../../models/index.ts';
import { noticeSentences } from '../../routers/account/notices.ts';
import { methodNotAllowed } from '../../routers/errors.ts';
import { respondNotice } from '../http/notice-page.ts';

export const unsubscribePath = '/account/mail/off';

const Allow = 'GET, HEAD, POST, OPTIONS';

/** Needs no session: the token in the link identifies the user and proves that we mailed the link. */
export const createUnsubscribe = (
  { notices, users }: Pick<Models, 'notices' | 'users'>,
  brand: Brand,
): Protocol =>
  createPageProtocol(async (ctx) => {
    const { method } = ctx.state.request;
    if (method === 'OPTIONS') return allowResponse(Allow);
    if (!Allow.split(', ').includes(method)) throw methodNotAllowed(method, Allow);
    const wanted = await notices.readUnsubscription(tokenOf(ctx));
    if (!wanted) return respondDamaged(ctx, brand);
    const { userId, kind } = wanted;
    const sentence = noticeSentences[kind];
    if (method !== 'POST') {
      const when = `They are sent when this happens: ${sentence}`;
      respondNotice(
        ctx,
        { title: 'Turn these mails off?', paragraphs: [when], button: 'Turn them off' },
        brand,
      );
    } else if (await users.changeNotices(userId, { off: [kind] }))
      respondNotice(ctx, { ...done, paragraphs: [`Off from now on: ${sentence}`, again] }, brand);
    else return respondDamaged(ctx, brand);
    return null;
  });

function respondDamaged(ctx: RequestContext, brand: Brand): null {
  ctx.status = 404;
  respondNotice(ctx, damaged, brand);
  return null;
}

const damaged = {
  title: 'This link is damaged',
  paragraphs: [
    'Some programs cut or change long addresses: copy the whole address from the mail into your browser.',
    'You can also turn mails off on your account page, under Mail in the menu.',
  ],
  link: { href: '/account', text: 'Go to your account' },
};

const done = { title: 'These mails are off', link: { href: '/account', text: 'Go to your account' } };
const again = 'You can turn them on again on your account page, under Mail in the menu.';

/** Our links have one token; an address with two was made by someone else. */
function tokenOf(ctx: RequestContext): string {
  const { token } = ctx.query;
  return typeof token === 'string' ? token : '';
}
