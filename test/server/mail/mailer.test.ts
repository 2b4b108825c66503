/** Mail over SMTP to a real server that requires a password, encrypts, hangs, refuses and breaks. */
import { expect } from 'chai';
import { readConfig } from '../../../server/config.ts';
import { checkSmtpServer, createMailer, type Mail, type Mailer } from '../../../server/mail/mailer.ts';
import { eventually } from '../../support/eventually.ts';
import { failureOf } from '../../support/failure-of.ts';
import { type SmtpReceiver, startSmtp } from '../../support/smtp-receiver.ts';

const settingsOf = (url: string) => {
  const { mail } = readConfig({ SMTP_URL: url, MAIL_FROM: 'Example Hosting <noreply@example.com>' });
  if (!mail) throw new Error('mail is off');
  return mail;
};

const hello: Mail = {
  ...{ to: 'ada@example.com', id: 'dlv_1', subject: 'Grüße 👋' },
  ...{ text: 'Hello Ada.\n\n-- \ngamehost\n', html: '<p>Hello <b>Ada</b>.</p>' },
};

describe('mail over SMTP', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function start(options: Parameters<typeof startSmtp>[0] = {}): Promise<SmtpReceiver> {
    const smtp = await startSmtp(options);
    ends.push(smtp.stop);
    return smtp;
  }

  function open(url: string, timeoutMs?: number): Mailer {
    const mailer = createMailer(settingsOf(url), timeoutMs);
    ends.push(mailer.close);
    return mailer;
  }

  it('arrives from MAIL_FROM as text and HTML with its Message-ID, and requests no automatic replies', async () => {
    const smtp = await start();
    const headers = { 'List-Unsubscribe': '<https://games.example/off>' };
    expect(await open(smtp.url).send({ ...hello, headers })).to.deep.equal({ outcome: 'sent' });
    const [mail] = smtp.received;
    expect(mail).to.include({ from: 'noreply@example.com', to: 'ada@example.com', subject: hello.subject });
    expect(mail).to.include({ text: hello.text.trim(), html: hello.html });
    expect(Object.fromEntries(mail?.headers ?? [])).to.include({
      from: 'Example Hosting <noreply@example.com>',
      to: 'ada@example.com',
      'message-id': '<dlv_1@example.com>',
      'auto-submitted': 'auto-generated',
      'list-unsubscribe': '<https://games.example/off>',
    });
  });

  it('introduces itself with the host name of PUBLIC_URL', async () => {
    const smtp = await start();
    const PUBLIC_URL = 'https://games.example';
    const { mail } = readConfig({ SMTP_URL: smtp.url, MAIL_FROM: 'noreply@example.com', PUBLIC_URL });
    const mailer = createMailer(mail ?? settingsOf(smtp.url));
    ends.push(mailer.close);
    expect(await mailer.send(hello)).to.deep.equal({ outcome: 'sent' });
    expect(smtp.received[0]?.greeting).to.equal('games.example');
  });

  it('carries the logo inside the mail, so that nothing is fetched', async () => {
    const smtp = await start();
    const logo = { contentType: 'image/png', bytes: Buffer.from('a picture') };
    await open(smtp.url).send({ ...hello, html: '<img src="cid:logo" alt="gamehost">', logo });
    const [mail] = smtp.received;
    expect(mail?.raw).to.include('Content-ID: <logo>').and.include(logo.bytes.toString('base64'));
    expect(mail).to.include({ text: hello.text.trim() });
  });

  for (const [name, isTls] of [
    ['STARTTLS', false],
    ['TLS from the beginning', true],
  ] as const)
    it(`signs in after ${name}, with the percent-encoded user and password of SMTP_URL`, async () => {
      const smtp = await start({ user: 'mailer', password: 'p@ss:/word %', isTls });
      expect(await open(smtp.url).send(hello)).to.deep.equal({ outcome: 'sent' });
      expect(smtp.received[0]).to.include({ isEncrypted: true, user: 'mailer' });
      await checkSmtpServer(settingsOf(smtp.url).server);
    });

  it('is retried later after a wrong password, which is no evidence about the recipient', async () => {
    const smtp = await start({ user: 'mailer', password: 'right' });
    const wrong = smtp.url.replace('right', 'wrong');
    const result = await open(wrong).send(hello);
    expect(result).to.deep.include({ outcome: 'deferred', status: 535, error: 'status' });
    expect(await failureOf(checkSmtpServer(settingsOf(wrong).server))).to.include({ responseCode: 535 });
  });

  it('sends no password over an unencrypted network, and accepts no untrusted certificate', async () => {
    // 0.0.0.0 leads to this machine, but is not one of the addresses to which plain connections are allowed.
    const plain = await start({ user: 'mailer', password: 'right', hasStartTls: false });
    const result = await open(plain.url.replace('127.0.0.1', '0.0.0.0')).send(hello);
    expect(result).to.include({ outcome: 'deferred' });
    const encrypted = await start({ isTls: true });
    const refused = await open(encrypted.url.replace('127.0.0.1', '0.0.0.0')).send(hello);
    expect(refused).to.deep.include({ outcome: 'deferred', status: null, error: 'tls' });
    expect([...plain.received, ...encrypted.received]).to.deep.equal([]);
  });

  it('reaches a server with an untrusted certificate when SMTP_URL ends in ?tls=allow-untrusted', async () => {
    const smtp = await start({ user: 'mailer', password: 'right', isTls: true });
    const url = `${smtp.url.replace('127.0.0.1', '0.0.0.0')}?tls=allow-untrusted`;
    expect(await open(url).send(hello)).to.deep.equal({ outcome: 'sent' });
    expect(smtp.received[0]).to.include({ isEncrypted: true, user: 'mailer' });
  });

  it('is refused for good when the server answers 5xx to the recipient or the mail', async () => {
    const smtp = await start();
    const mailer = open(smtp.url);
    smtp.refuse(hello.to, 550);
    const refused = await mailer.send(hello);
    expect(refused).to.include({ outcome: 'refused', status: 550 });
    expect(refused).to.have.property('reply').that.includes('refused by the test');
    smtp.refuseData(554);
    expect(await mailer.send(hello)).to.include({ outcome: 'refused', status: 554 });
    expect(await mailer.send(hello)).to.include({ outcome: 'sent' });
  });

  for (const code of [530, 535])
    it(`is retried together with other mail when the server requires a sign-in after all (${code})`, async () => {
      const smtp = await start();
      smtp.refuse(hello.to, code);
      const result = await open(smtp.url).send(hello);
      expect(result).to.deep.include({ outcome: 'deferred', status: code, isOfMail: false });
    });

  it('is retried alone when the server stalls after its recipient', async () => {
    const smtp = await start();
    smtp.refuse(hello.to, 'silence');
    const result = await open(smtp.url, 1000).send(hello);
    expect(result).to.deep.include({ outcome: 'deferred', error: 'timeout', isOfMail: true });
  });

  it('fails at once when the mailer closes while the server stalls', async () => {
    const smtp = await start();
    smtp.refuse(hello.to, 'silence');
    const mailer = open(smtp.url);
    const sending = mailer.send(hello);
    await eventually(async () => expect(smtp.connections.silent).to.equal(1));
    mailer.close();
    expect(await sending).to.include({ outcome: 'deferred' });
  }).timeout(15_000);

  it('ends within its time limit when the server stalls and when nothing listens', async () => {
    const smtp = await start();
    smtp.hang();
    const silent = await Promise.all(
      Array.from({ length: 12 }, () => open(smtp.url, 300)).map((mailer) => mailer.send(hello)),
    );
    for (const result of silent) expect(result).to.include({ outcome: 'deferred', error: 'timeout' });
    const gone = await startSmtp();
    await gone.stop();
    expect(await open(gone.url).send(hello)).to.include({ outcome: 'deferred', error: 'connection' });
  });

  it('cannot reach a second recipient through characters in an address', async () => {
    const smtp = await start();
    const to = 'ada@example.com>\r\nRCPT TO:<eve@example.com';
    await open(smtp.url).send({ ...hello, to, subject: 'Hello\r\nBcc: eve@example.com' });
    for (const mail of smtp.received) {
      expect(mail.to).not.to.equal('eve@example.com');
      expect(mail.headers.has('bcc')).to.equal(false);
    }
  });
});
