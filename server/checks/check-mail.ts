/** Whether mail can be sent: the server is reached, encrypts where it must, and takes the password. Sends nothing. */
import type { Config } from '../config.ts';
import type { Log } from '../observability/log.ts';
import type { Finding } from './finding.ts';

const part = 'Mail';

export async function checkMail({
  mail,
  supportEmail,
}: Pick<Config, 'mail' | 'supportEmail'>): Promise<Finding> {
  if (!mail) return { part, state: 'off', message: 'SMTP_URL is not set: no mail is sent' };
  const { server, from } = mail;
  const place = `${server.host}:${server.port}`;
  const { checkServer } = await import('../mail/mailer.ts');
  try {
    await checkServer(server);
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    return {
      part,
      state: 'failed',
      message: `the mail server ${place} cannot be used (${reason}): check SMTP_URL; mail waits until it can`,
    };
  }
  const how = server.credentials ? 'takes the password' : 'answers';
  const missing = supportEmail === null ? '; SUPPORT_EMAIL is not set, so support gets no mail' : '';
  return { part, state: 'ok', message: `${place} ${how}; mail is from ${from.address}${missing}` };
}

/** Says once, after the start, that mail cannot be sent; it waits and is tried again. */
export async function warnOfMail(
  config: Pick<Config, 'mail' | 'supportEmail'>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const { state, message } = await checkMail(config);
  if (state === 'failed') log.warn(message);
}
