/** Sends mail through pools of SMTP connections. The outcome of an attempt is a value. */
import { createTransport, type NodemailerError, type SMTPPoolOptions } from 'nodemailer';
import { smtpConnectionsMax } from '../../models/bounds.ts';
import type { AttemptError } from '../../models/outbox/schema.ts';
import { isLoopback } from '../loopback.ts';
import { isCertificateErrorCode, isTlsErrorCode } from '../outbound/response-errors.ts';
import type { Picture } from './layout.ts';
import type { MailSettings, SmtpServer } from './settings.ts';

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
  /**
   * The part of the Message-ID before the @. It is the same for each attempt, so that a duplicate can be recognized.
   */
  id: string;
  /** For mails that belong together: the part before the @ of the id that all of them refer to. */
  thread?: string | undefined;
  /** Receives replies; undefined: no one does. */
  replyTo?: string | undefined;
  headers?: Record<string, string>;
  /** Attached to the mail, so that reading it fetches nothing. */
  logo?: Picture | undefined;
  /** Aborts the attempt. Urgent mails, whose recipient is waiting, have their own connections. */
  urgent?: AbortSignal | undefined;
}

export type SendResult =
  | { outcome: 'sent' }
  /** The server permanently refuses the recipient, or this mail to it. */
  | { outcome: 'refused'; status: number | null; reply: string }
  /** Another attempt may succeed. `isOfMail`: the server's reply concerns this mail alone. */
  | { outcome: 'deferred'; status: number | null; error: AttemptError; reply: string; isOfMail: boolean };

export interface Mailer {
  send(mail: Mail): Promise<SendResult>;
  close(): void;
}

/**
 * For an attempt, including the wait for a connection: some servers check a recipient slowly. Shorter than a
 * delivery's lease.
 */
const sendMs = 30_000;
/** Includes the greeting, which some servers delay by six seconds. Shorter than any attempt. */
const connectMs = 8_000;
const replyLengthMax = 200;

export function createMailer({ server, from }: MailSettings, timeoutMs = sendMs): Mailer {
  const createPool = () => createTransport({ ...poolOptions, ...optionsOf(server) });
  const pools = { ordinary: createPool(), urgent: createPool() };
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    async send({ to, id, thread, logo, headers, urgent, ...texts }) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const message = {
        ...texts,
        from,
        to: { name: '', address: to },
        messageId: `<${id}@${domain}>`,
        ...(thread && { inReplyTo: `<${thread}@${domain}>`, references: `<${thread}@${domain}>` }),
        // Keeps autoresponders from replying (RFC 3834).
        headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
        ...(logo && { attachments: [{ cid: 'logo', content: logo.bytes, contentType: logo.contentType }] }),
        signal: urgent ? AbortSignal.any([urgent, timeout]) : timeout,
      };
      const transport = urgent ? pools.urgent : pools.ordinary;
      return transport.sendMail(message).then((): SendResult => ({ outcome: 'sent' }), resultOf);
    },
    // Also closes connections to unresponsive servers.
    close: () => {
      for (const transport of Object.values(pools)) transport.close({ force: true });
    },
  };
}

/** @throws what prevents the connection or the sign-in */
export async function checkSmtpServer(server: SmtpServer): Promise<void> {
  const transport = createTransport(optionsOf(server));
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

const poolOptions = {
  pool: true,
  maxConnections: smtpConnectionsMax,
  // The delivery counts attempts itself.
  maxRequeues: 0,
  disableFileAccess: true,
  disableUrlAccess: true,
} as const;

function optionsOf({
  host,
  port,
  isTls,
  credentials,
  allowsUntrusted,
  ownName,
}: SmtpServer): SMTPPoolOptions {
  const isLocal = isLoopback(new URL(`http://${host.includes(':') ? `[${host}]` : host}`));
  return {
    host,
    port,
    secure: isTls,
    ...(ownName && { name: ownName }),
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    // Never sends a password in the clear over a network.
    requireTLS: credentials !== null && !isLocal,
    // The certificate of a mail server on this machine usually has another name.
    tls: { rejectUnauthorized: !isLocal && !allowsUntrusted },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: sendMs,
  };
}

/** Some relays demand a sign-in by refusing the recipient. */
const signInCodes = new Set([530, 535]);

function resultOf(failure: NodemailerError): SendResult {
  const { command = '', code = '', timeoutType, permanent, responseCode: status = null } = failure;
  const reply = (failure.response ?? failure.message).slice(0, replyLengthMax).toWellFormed();
  // A failed connection ends earlier. This late, the server is most likely verifying the recipient, which may never
  // finish.
  const isLate = code === 'EABORT' || timeoutType === 'SOCKET_TIMEOUT';
  const isAnswer = status !== null && (command === 'RCPT TO' || command === 'DATA');
  const isOfMail = isLate || (isAnswer && !signInCodes.has(status));
  // An address that the library itself rejects fails the same way next time.
  const isNoAddress = code === 'EENVELOPE' && command === 'API';
  if ((permanent && isOfMail) || isNoAddress) return { outcome: 'refused', status, reply };
  return { outcome: 'deferred', status, error: errorOf(failure), reply, isOfMail };
}

function errorOf({ code = '', originalCode = '', responseCode }: NodemailerError): AttemptError {
  if (responseCode !== undefined) return 'status';
  if (code === 'ETIMEDOUT' || code === 'EABORT' || originalCode === 'ETIMEDOUT') return 'timeout';
  return code === 'ETLS' || isTlsErrorCode(originalCode) ? 'tls' : 'connection';
}

/** Whether the server was reached but Node.js does not trust its certificate. */
export const isUntrusted = (failure: unknown): boolean =>
  isCertificateErrorCode((failure as NodemailerError).originalCode ?? '');
