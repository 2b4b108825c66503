/** Sends mail through pools of SMTP connections: how each attempt ended is a value. */
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
  /** What comes before the @; the same for each attempt, so that a mail that arrives twice is known to be one. */
  id: string;
  /** Of mails that belong together, what comes before the @ in the id that all of them refer to. */
  thread?: string | undefined;
  /** Who reads replies; without, nobody does. */
  replyTo?: string | undefined;
  headers?: Record<string, string>;
  /** Goes with the mail: nothing is fetched when it is read. */
  logo?: Picture | undefined;
  /** Ends the attempt. A mail with it has connections that other mail never takes: its recipient waits for it. */
  urgent?: AbortSignal | undefined;
}

export type SendResult =
  | { outcome: 'sent' }
  /** The recipient, or this mail to it, is refused for good. */
  | { outcome: 'refused'; status: number | null; reply: string }
  /** Another attempt may succeed; `isOfMail`: what the server said is about this mail alone. */
  | { outcome: 'deferred'; status: number | null; error: AttemptError; reply: string; isOfMail: boolean };

/** Where mail is off there is none. */
export interface Mailer {
  send(mail: Mail): Promise<SendResult>;
  close(): void;
}

/** Of a whole attempt, with the wait for a connection: some servers think about a recipient. Shorter than the lease of a delivery. */
const sendMs = 30_000;
/** With the greeting, which some servers delay by six seconds; shorter than any attempt. */
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
        // No answering machine replies to it (RFC 3834).
        headers: { ...headers, 'Auto-Submitted': 'auto-generated' },
        ...(logo && { attachments: [{ cid: 'logo', content: logo.bytes, contentType: logo.contentType }] }),
        signal: urgent ? AbortSignal.any([urgent, timeout]) : timeout,
      };
      const transport = urgent ? pools.urgent : pools.ordinary;
      return transport.sendMail(message).then((): SendResult => ({ outcome: 'sent' }), resultOf);
    },
    // Also connections whose server says nothing.
    close: () => {
      for (const transport of Object.values(pools)) transport.close({ force: true });
    },
  };
}

/**
 * Connects, and signs in where there are credentials.
 * @throws what stops it
 */
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
  // Each attempt is one of the delivery's.
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
    // A password is never sent in the clear over a network.
    requireTLS: credentials !== null && !isLocal,
    // The certificate of a mail server on this machine is usually for another name.
    tls: { rejectUnauthorized: !isLocal && !allowsUntrusted },
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: sendMs,
  };
}

/** Relays want a sign-in also by refusing a recipient. */
const signInCodes = new Set([530, 535]);

function resultOf(failure: NodemailerError): SendResult {
  const { command = '', code = '', timeoutType, permanent, responseCode: status = null } = failure;
  const reply = (failure.response ?? failure.message).slice(0, replyLengthMax).toWellFormed();
  // A connection that is not made ends earlier: most likely the server asks that of the recipient, which may never answer.
  const isLate = code === 'EABORT' || timeoutType === 'SOCKET_TIMEOUT';
  const isAnswer = status !== null && (command === 'RCPT TO' || command === 'DATA');
  const isOfMail = isLate || (isAnswer && !signInCodes.has(status));
  // What the library itself does not take for an address is no better the next time.
  const isNoAddress = code === 'EENVELOPE' && command === 'API';
  if ((permanent && isOfMail) || isNoAddress) return { outcome: 'refused', status, reply };
  return { outcome: 'deferred', status, error: errorOf(failure), reply, isOfMail };
}

function errorOf({ code = '', originalCode = '', responseCode }: NodemailerError): AttemptError {
  if (responseCode !== undefined) return 'status';
  if (code === 'ETIMEDOUT' || code === 'EABORT' || originalCode === 'ETIMEDOUT') return 'timeout';
  return code === 'ETLS' || isTlsErrorCode(originalCode) ? 'tls' : 'connection';
}

/** Whether the server was reached, and its certificate is one that Node.js does not trust. */
export const isUntrusted = (failure: unknown): boolean =>
  isCertificateErrorCode((failure as NodemailerError).originalCode ?? '');
