/** verifyWebhook: events of a real service are accepted, whatever holds their headers, and nothing else is. */
import { inspect } from 'node:util';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { importClient } from '../../support/client.ts';
import { failureOf } from '../../support/failure-of.ts';
import { useWebhookService } from '../../support/webhook-service.ts';

const secret = `whsec_${btoa('a secret of 24 bytes ....')}`;
const body = '{"type":"webhook.test","timestamp":"2026-11-29T12:00:00.000Z","data":{}}';

describe('verifyWebhook', () => {
  const { receiver, subscribe, service } = useWebhookService();

  const verify = async (...given: Parameters<Library['verifyWebhook']>) =>
    (await importClient()).verifyWebhook(...given);

  /** As Node's http shows them. */
  const signedBy = (signer: string, at = Date.now()) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(signer).sign('evt_1', new Date(at), body),
  });

  it('resolves to an event of the service, also for a day after its secret was rotated', async () => {
    const { key, path, secret: first, open } = await subscribe();
    await open('Lag');
    const [created] = await receiver.waitFor(1);
    const event = await verify(first, created?.headers ?? {}, created?.text ?? '');
    expect(event.type).to.equal('ticket.created');
    if (event.type === 'ticket.created') expect(event.data.ticket.subject).to.equal('Lag');
    const { body: rotated } = await service.call('POST', `${path}/rotate-secret`, { key });
    await service.call('POST', `${path}/test`, { key });
    const [, test] = await receiver.waitFor(2);
    for (const either of [first, rotated.secret])
      expect((await verify(either, test?.headers ?? {}, test?.text ?? '')).type).to.equal('webhook.test');
  });

  it('takes headers of the Fetch API or of Node, and a body as text or bytes', async () => {
    const signed = signedBy(secret);
    const lists = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]]));
    for (const headers of [signed, new Headers(signed), lists])
      for (const text of [body, Buffer.from(body), new TextEncoder().encode(body)])
        expect(await verify(secret, headers, text)).to.deep.equal(JSON.parse(body));
  });

  it('rejects forged and old events with a GamehostError that has no secret', async () => {
    const another = `whsec_${btoa('another secret of bytes .')}`;
    const minutes = (count: number) => Date.now() + count * 60_000;
    const { 'webhook-id': _, ...withoutId } = signedBy(secret);
    const forged: Parameters<Library['verifyWebhook']>[] = [
      [secret, signedBy(another), body],
      [secret, signedBy(secret), `${body} `],
      [secret, signedBy(secret, minutes(-6)), body],
      [secret, signedBy(secret, minutes(6)), body],
      [secret, { ...signedBy(secret), 'webhook-id': 'evt_2' }, body],
      [secret, { ...signedBy(secret), 'webhook-signature': 'v1' }, body],
      [secret, withoutId, body],
      [secret, {}, body],
      ['whsec_not base64!', signedBy(secret), body],
      ['', signedBy(secret), body],
      [undefined as never, signedBy(secret), body],
    ];
    for (const given of forged) {
      const failure = await failureOf(verify(...given));
      expect(failure).to.include({ name: 'GamehostError', code: 'invalid_webhook', status: null });
      expect(failure.message).to.match(/^The event is not valid: \w/);
      for (const each of [secret, another]) expect(inspect(failure)).not.to.contain(each);
    }
    for (const age of [-4, 4])
      expect(await verify(secret, signedBy(secret, minutes(age)), body)).to.be.an('object');
  });
});

type Library = Awaited<ReturnType<typeof importClient>>;
