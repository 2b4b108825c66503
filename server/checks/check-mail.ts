/** Checks that the mail server answers, encrypts where it must, and accepts the password. Sends nothing. */
import { productBrand } from '../../bridge/pages/brand.ts';
import type { Config } from '../config.ts';
import type { Log } from '../observability/log.ts';
import type { Finding } from './finding.ts';

export async function checkMail({
  mail,
  supportEmail,
  brand,
}: Pick<Config, 'mail' | 'supportEmail' | 'brand'>): Promise<Finding> {
  if (!mail) return { state: 'off', message: 'SMTP_URL is not set: no mail is sent' };
  const { server, from } = mail;
  const hostAndPort = `${server.host}:${server.port}`;
  const { checkSmtpServer, isUntrusted } = await import('../mail/mailer.ts');
  try {
    await checkSmtpServer(server);
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    const advice = isUntrusted(failure) ? trustAdvice : 'check SMTP_URL';
    return {
      state: 'failed',
      message: `the mail server ${hostAndPort} cannot be used (${reason}): ${advice}; until then, mails wait`,
    };
  }
  const how = server.credentials ? 'accepts the password' : 'answers';
  const { name } = productBrand;
  const noName = brand.name === name ? `; HOST_NAME is not set, so mails call the host ${name}` : '';
  const noSupport = supportEmail === null ? '; SUPPORT_EMAIL is not set, so support gets no mail' : '';
  return { state: 'ok', message: `${hostAndPort} ${how}; mail is from ${from.address}${noName}${noSupport}` };
}

const trustAdvice =
  'its certificate is not trusted: give Node.js the authority with NODE_EXTRA_CA_CERTS, or accept any certificate with ?tls=allow-untrusted in SMTP_URL';

/** Warns once, after the start, if mail cannot be sent. Mails wait and are retried. */
export async function warnOfMail(
  config: Pick<Config, 'mail' | 'supportEmail' | 'brand'>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const { state, message } = await checkMail(config);
  if (state === 'failed') log.warn(message);
}
