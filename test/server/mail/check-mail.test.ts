/** The mail part of `check` connects to the server and signs in, and sends nothing. */
import { expect } from 'chai';
import { createCli } from '../../support/cli.ts';
import { useDirectory } from '../../support/directory.ts';
import { type SmtpReceiver, startSmtp } from '../../support/smtp-receiver.ts';
import { useStarted } from '../../support/use-started.ts';

describe('the mail check', () => {
  const smtp: SmtpReceiver = useStarted(() => startSmtp({ user: 'mailer', password: 'right' }));
  const directory = useDirectory();

  async function mailOf(settings: Record<string, string>) {
    const MAIL_FROM = 'noreply@host.example';
    const cli = createCli({ DATA_DIR: directory.path, MAIL_FROM, ...settings });
    const { stdout } = await cli.run('check --json');
    const checks: { part: string; state: string; message: string }[] = JSON.parse(stdout).checks;
    return checks.find(({ part }) => part === 'Mail');
  }

  it("reports that mail works and which settings are missing: the host's name and the support address", async () => {
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

  it("says what to do when the server's certificate is not trusted", async () => {
    // 0.0.0.0 leads to this machine, but is not one of the addresses for which any certificate is accepted.
    const SMTP_URL = smtp.url.replace('127.0.0.1', '0.0.0.0');
    const found = await mailOf({ SMTP_URL });
    expect(found?.state).to.equal('failed');
    expect(found?.message)
      .to.include('its certificate is not trusted')
      .and.include('NODE_EXTRA_CA_CERTS')
      .and.include('?tls=allow-untrusted');
    expect(await mailOf({ SMTP_URL: `${SMTP_URL}?tls=allow-untrusted` })).to.include({ state: 'ok' });
  });

  it('says what to do when the password is wrong or nothing listens, without repeating the password', async () => {
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
