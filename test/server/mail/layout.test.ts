/** The layout of mails: plain text, and the same as HTML in which text of others stays text. */
import { expect } from 'chai';
import { layout } from '../../../server/mail/layout.ts';

const brand = { name: 'Example & Sons', publicUrl: 'https://games.example' };

const full = {
  paragraphs: ['Support has answered your ticket.'],
  quote: 'First line\n<script>alert("1")</script>',
  list: [{ text: "Ticket #1: it's down", url: 'https://games.example/account/tickets/1?a=1&b=2' }],
  button: { label: 'Read it', url: 'https://games.example/account' },
  footer: ['You get this mail because you opened the ticket.'],
  unsubscribeUrl: 'https://games.example/account/mail/off?token=1',
};

describe('the layout of mails', () => {
  it('has all in plain text, with what another wrote marked, and the addresses written out', () => {
    expect(layout(brand, full).text.split('\n')).to.deep.equal([
      'Support has answered your ticket.',
      '',
      '> First line',
      '> <script>alert("1")</script>',
      '',
      "- Ticket #1: it's down",
      '  https://games.example/account/tickets/1?a=1&b=2',
      '',
      'Read it:',
      'https://games.example/account',
      '',
      '-- ',
      'Example & Sons',
      'You get this mail because you opened the ticket.',
      '',
      'Turn such mails off:',
      'https://games.example/account/mail/off?token=1',
      '',
    ]);
  });

  it('has the same as HTML, in which nothing is fetched and text of others is no markup', () => {
    const { html } = layout({ ...brand, logo: { contentType: 'image/png', bytes: Buffer.from('') } }, full);
    expect(html).to.include('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
    expect(html).to.include('href="https://games.example/account/tickets/1?a=1&amp;b=2"');
    expect(html).to.include('<img src="cid:logo" alt="Example &amp; Sons"');
    expect(html).not.to.match(/<script|<link|url\(|src="(?!cid:)|@import/);
  });
});
