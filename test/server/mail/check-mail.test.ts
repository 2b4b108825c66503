/** `check` on mail: the server is reached and takes the password, and nothing is sent. */
import { expect } from 'chai';
import { createCli } from '../../support/cli.ts';
import { useDirectory } from '../../support/directory.ts';
import { type SmtpReceiver, startSmtp } from '../../support/smtp-receiver.ts';
import { useStarted } from '../../support/use-started.ts';

describe('check of mail', () => {
  const smtp: SmtpReceiver = useStarted(() => startSmtp({ user: 'mailer', password: 'right' }));
  const directory = useDirectory();

  async function mailOf(settings: Record<string, string>) {
    const MAIL_FROM = 'noreply@host.example';
    const cli = createCli({ DATA_DIR: directory.path, MAIL_FROM, ...settings });
    const { stdout } = await cli.run('check --json');
    const checks: { part: string; state: string; message: string }[] = JSON.parse(stdout).checks;
    return checks.find(({ part }) => part === 'Mail');
  }

  it('says that it works, and what is missing beside it: the name of the host, and where support reads', async () => {
    const works = `127.0.0.1:${smtp.port} accepts the password; mail is from noreply@host.example`;
    const support = { SUPPORT_EMAIL: 'support@host.example' };
    const name = { HOST_NAME: 'Example Hosting' };
    const noName = '; HOST_NAME is not set, so mails call the host gamehost';
    const noSupport = '; SUPPORT_EMAIL is not set, so support gets no mail';
    for (const [given, missing] of [
      [{ ...support, ...name }, ''],
      [support, noName],
      [name, noSupport],
      [{}, noName + noSupport],
    ] as const) {
      const found = await mailOf({ SMTP_URL: smtp.url, ...given });
      expect(found).to.deep.equal({ part: 'Mail', state: 'ok', message: works + missing });
    }
    expect(smtp.received).to.deep.equal([]);
  });

  it('says what to do where the certificate of the server is not trusted', async () => {
    // 0.0.0.0 leads to this machine, and is no address of its own of which any certificate is taken.
    const SMTP_URL = smtp.url.replace('127.0.0.1', '0.0.0.0');
    const found = await mailOf({ SMTP_URL });
    expect(found?.state).to.equal('failed');
    expect(found?.message)
      .to.include('its certificate is not trusted')
      .and.include('NODE_EXTRA_CA_CERTS')
      .and.include('?tls=allow-untrusted');
    expect(await mailOf({ SMTP_URL: `${SMTP_URL}?tls=allow-untrusted` })).to.include({ state: 'ok' });
  });

  it('says what to do where the password is wrong or nothing listens, and repeats no password', async () => {
    for (const SMTP_URL of [smtp.url.replace('right', 'hunter2'), 'smtp://mailer:hunter2@127.0.0.1:1']) {
      const found = await mailOf({ SMTP_URL });
      expect(found).to.include({ state: 'failed' });
      expect(found?.message).to.match(
        /^the mail server 127\.0\.0\.1:\d+ cannot be used \(.+\): check SMTP_URL/,
      );
      expect(found?.message).not.to.include('hunter2');
    }
  });
});
