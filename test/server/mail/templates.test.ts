/** The texts of notices, as plain functions of each type of event. */
import { expect } from 'chai';
import { writeNotice } from '../../../server/mail/layout.ts';
import { type Notice, noticeOf } from '../../../server/mail/notices.ts';
import { sampleEvents } from '../../support/sample-notices.ts';

const brand = { name: 'Example Hosting', publicUrl: 'https://games.example' };

const written = (['customer', 'host'] as const).flatMap((audience) =>
  sampleEvents[audience].map((event) => {
    const notice = noticeOf(event, audience);
    if (!notice) throw new Error(`there is no notice of ${event.type}`);
    return { event, audience, notice, mail: writeNotice(brand, notice) };
  }),
);

describe('the text of a notice', () => {
  it('names the event in its subject', () => {
    expect(written.map(({ mail }) => mail.subject)).to.deep.equal([
      'Support answered your ticket #7: Lag <since> noon',
      'Support closed your ticket #7: Lag <since> noon',
      'A new API key for your account: laptop',
      'A new API key for your account: laptop',
      'Revoked after a leak: laptop',
      'Your API key expires soon: laptop',
      'A webhook was turned off: status.example.com',
      'An app was connected to your account: Claude',
      'Your password was changed',
      'The e-mail address of your account was changed',
      'This is now the e-mail address of your account',
      'Your account was deleted',
      'Your account no longer has its servers',
      'The authenticator app "Phone" was added to your account',
      'The passkey "Laptop" was removed from your account',
      'Your second factors were removed',
      'A recovery code was used, 9 left',
      '2 more notices',
      'Ticket #7: Lag <since> noon',
      'Reply to ticket #7: Lag <since> noon',
    ]);
  });

  it('is complete as plain text', () => {
    expect(written[0]?.mail.text.split('\n')).to.deep.equal([
      'Robin answered your ticket #7: Lag <since> noon',
      '',
      '> We look into it.',
      '> Is it better?',
      '',
      'Open the ticket:',
      'https://games.example/account#tickets/7',
      '',
      '-- ',
      'Example Hosting',
      'You get this mail because of your account at Example Hosting.',
      '',
    ]);
    expect(written[5]?.mail.text).to.include('expires at 2026-12-03 18:00 UTC.');
    expect(written[17]?.mail.text).to.include(
      '- Support answered your ticket #1\n  https://games.example/a\n\n- Support answered your ticket #2',
    );
  });

  it('ends with how to turn it off, and as HTML fetches nothing and escapes what others wrote', () => {
    const logo = { contentType: 'image/png', bytes: Buffer.from('') };
    const notice = { ...written[0]?.notice, quote: '<script>alert("1")</script>' } as Notice;
    const unsubscribeUrl = 'https://games.example/account/mail/off?token=1&a=2';
    const { text, html } = writeNotice({ ...brand, name: 'Example & Sons', logo }, notice, {
      unsubscribeUrl,
    });
    expect(text.endsWith(`\n\nTurn off these mails:\n${unsubscribeUrl}\n`)).to.equal(true);
    expect(html).to.include('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
    expect(html).to.include('mail/off?token=1&amp;a=2"');
    expect(html).to.include('<img src="cid:logo" alt="Example &amp; Sons"');
    expect(html).not.to.match(/<script|<link|url\(|src="(?!cid:)|@import/);
  });

  for (const { event, audience, notice, mail } of written)
    it(`of ${event.type} to the ${audience} says the same as HTML, and can be turned off unless it is about security`, () => {
      for (const paragraph of notice.paragraphs)
        expect(mail.html).to.include(
          paragraph.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
        );
      expect(mail.html)
        .to.include(`href="https://games.example${notice.button.path}"`)
        .and.not.include('<since>');
      const canTurnOff = /ticket|expiring|disabled/.test(event.type) && audience === 'customer';
      expect(notice.kind !== null).to.equal(canTurnOff);
    });

  it('does not exist for what its recipient did or does not need to know', () => {
    const [answered, closed, , , revoked] = sampleEvents.customer;
    const [, replied] = sampleEvents.host;
    if (!answered || !closed || !revoked || !replied) throw new Error('a sample is missing');
    expect(noticeOf(answered, 'host')).to.equal(null);
    expect(noticeOf(replied, 'customer')).to.equal(null);
    expect(noticeOf({ ...closed, isByStaff: false }, 'customer')).to.equal(null);
    expect(noticeOf({ ...revoked, data: { ...revoked.data, reason: null } }, 'customer')).to.equal(null);
  });
});
