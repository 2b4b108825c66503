/** Messages to a stand-in for Discord: their content, and how its limits and refusals are handled. */

import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { useWebhookService } from '../../support/webhook-service.ts';

describe('messages to Discord', () => {
  const { service, receiver, calls, subscribe } = useWebhookService();

  const subscribeDiscord = ({ origin = receiver.origin, events = ['*'] } = {}) =>
    subscribe({ url: `${origin}/api/webhooks/123/secret`, format: 'discord', events });

  it("escape mentions, links and markup in customers' text", async () => {
    const { webhook, secret, open } = await subscribeDiscord();
    expect(secret).to.equal(null);
    expect(webhook.url).to.equal(`${receiver.origin}/api/webhooks/123/...`);
    const title = '**@everyone** <@1> <#2> [x](https://discord.gg/a) ||~~`_-\\';
    await open(title);
    const [request] = await receiver.waitFor(1);
    expect(request?.path).to.equal('/api/webhooks/123/secret?wait=true');
    expect(request?.body).to.include({ content: '' });
    expect(request?.body.allowed_mentions).to.deep.equal({ parse: [] });
    const { description } = request?.body.embeds[0] ?? {};
    expect(description.replace(/\\(.)/g, '$1'))
      .to.match(/^#\d+ /)
      .and.include(title);
    expect(description.replace(/^#\d+|\\./g, '')).to.not.match(/[\\*_~`|>#[\]()<@:-]/);
  });

  it("stay within Discord's lengths, cut between characters", async () => {
    const { key, open } = await subscribeDiscord({ events: ['ticket.replied'] });
    const { id } = (await open('*'.repeat(200))).body.ticket;
    for (const text of ['*'.repeat(5_000), '\u{1F600}'.repeat(5_000), `x${'\u{1F600}'.repeat(5_000)}`])
      await service.call('POST', `/tickets/${id}/reply`, { key, body: { message: text } });
    for (const { body } of await receiver.waitFor(3)) {
      const { title, description } = body.embeds[0];
      expect(title.length).to.be.within(200, 256);
      expect(description.length).to.be.within(1_900, 2_000);
      expect(title + description).to.satisfy((text: string) => text.isWellFormed());
      expect(description).to.match(/[^\\]…$/);
    }
  });

  it('wait after a response that reports the limit as used up, and arrive later', async () => {
    const { open, untilTried } = await subscribeDiscord();
    receiver.respondWith(200, { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset-After': '3600' }, '{}');
    await open('first');
    expect(await untilTried()).to.include({ status: 'delivered' });
    await open('second');
    const { secret: other } = await service.addKey();
    const { webhook: others } = await calls.createWebhook(other, `${receiver.origin}/other`);
    await calls.openTicket(other);
    expect(await calls.untilTried(other, others.id)).to.include({ status: 'delivered' });
    const names = receiver.received.map(({ path }) => path.split('/').at(-1));
    expect(names).to.deep.equal(['secret?wait=true', 'other']);
    service.clock.advance(3_600_000);
    const [, , third] = await receiver.waitFor(3);
    expect(third?.body.embeds[0].description).to.include('second');
  });

  it('are retried if nothing listened', async () => {
    const { open, untilTried } = await subscribeDiscord({ origin: 'http://127.0.0.1:9' });
    await open();
    const delivery = await untilTried();
    expect(delivery).to.include({ status: 'pending' });
    expect(delivery.attempts[0]).to.include({ status: null, error: 'connection' });
  });

  const refusals: [code: number, reason: string][] = [
    [220_001, 'the channel is a forum, which needs a thread: add ?thread_id=ID to the address'],
    [50_035, "Discord's error 50035"],
  ];
  for (const [code, reason] of refusals)
    it(`report in our words why Discord refused with ${code}`, async () => {
      const { open, untilTried } = await subscribeDiscord();
      receiver.respondWith(400, {}, JSON.stringify({ message: 'Secret of the receiver', code }));
      await open();
      const { attempts } = await untilTried();
      expect(attempts[0]).to.include({ status: 400, error: 'status', reason });
      expect(JSON.stringify(attempts)).not.to.include('Secret');
    });

  const discord = 'https://discord.com/api/webhooks/123/secret';
  const unfit: [url: string, format: string | undefined, message: string][] = [
    [discord, undefined, 'format must be discord for the address of a Discord webhook'],
    [discord, 'standard', 'format must be discord for the address of a Discord webhook'],
    [
      discord.replace('discord.com', 'canary.discord.com').replace('/api', '/api/v10'),
      'standard',
      'format must be discord for the address of a Discord webhook',
    ],
    ...['/slack', '/github', '/messages/1'].map((end): [string, string, string] => [
      discord + end,
      'discord',
      'url must end with the token of the Discord webhook: remove anything after it, such as /slack or /github',
    ]),
    [
      'https://discord.com/api/webhooks/123',
      'discord',
      'url must be the address of a Discord webhook: https://discord.com/api/webhooks/...',
    ],
  ];
  for (const [url, format, message] of unfit)
    it(`are refused with 400 bad_request for ${url} as ${format}, at creation and change`, async () => {
      const { key, path } = format === 'discord' ? await subscribeDiscord() : await subscribe();
      const body = { url, events: ['*'], ...(format && { format }) };
      expectError(await service.call('POST', '/webhooks', { key, body }), 'bad_request', message);
      const changed = await service.call('PATCH', path, { key, body: { url } });
      expectError(changed, 'bad_request', message);
    });

  it('wait for as long as a 429 asks', async () => {
    const { open, untilTried } = await subscribeDiscord();
    receiver.respondWith(429, {}, '{"message":"You are being rate limited.","retry_after":64.5}');
    await open();
    const { next_attempt_at } = await untilTried();
    expect(Date.parse(next_attempt_at ?? '') - service.clock.now()).to.be.within(50_000, 64_500);
  });

  for (const status of [401, 403, 404])
    it(`end at a ${status}: the webhook is turned off and shows why`, async () => {
      const { open, read } = await subscribeDiscord();
      receiver.respondWith(status);
      await open();
      await eventually(async () => expect(await read()).to.include({ active: false }));
      expect((await read()).disabled_reason).to.include(String(status));
    });
});
