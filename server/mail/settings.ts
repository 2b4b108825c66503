/** The settings of mail: the server that takes it, who it is from, and who of the host reads support. */
import { z } from 'zod';

export interface SmtpServer {
  host: string;
  port: number;
  /** Whether TLS begins with the connection; otherwise STARTTLS does. */
  isTls: boolean;
  credentials: { user: string; password: string } | null;
}

export interface MailSettings {
  server: SmtpServer;
  /** The name is empty where only an address is known. */
  from: { name: string; address: string };
}

const address = z.email();

const smtpUrl = z
  .string()
  .transform(parseServer)
  .refine((server) => server !== null, {
    error:
      'must be of the form smtp://USER:PASSWORD@HOST:PORT, or smtps:// where TLS begins at once, with : / ? # [ ] @ and % in USER and PASSWORD percent-encoded',
  });

const mailbox = z
  .string()
  .trim()
  .transform(parseMailbox)
  .refine((parsed) => parsed !== null, {
    error: 'must be an e-mail address, or a name with one, such as Example Hosting <noreply@example.com>',
  });

export const mailSettings = {
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailbox.optional(),
  SUPPORT_EMAIL: z.string().trim().pipe(address).optional(),
};

type Settings = z.infer<z.ZodObject<typeof mailSettings>>;

export const mailOf = (env: Settings) => ({
  /** Null: mail is off. */
  mail: env.SMTP_URL && env.MAIL_FROM ? { server: env.SMTP_URL, from: env.MAIL_FROM } : null,
  /** Where the host's staff reads of tickets; null: nowhere. */
  supportEmail: env.SUPPORT_EMAIL ?? null,
});

export const missingMailSettings = (env: Settings): string[] => [
  ...(env.SMTP_URL && !env.MAIL_FROM ? ['MAIL_FROM is required with SMTP_URL'] : []),
  ...(env.MAIL_FROM && !env.SMTP_URL ? ['SMTP_URL is required with MAIL_FROM'] : []),
];

/** Null for what is no such address. */
function parseServer(text: string): SmtpServer | null {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (!hostname || pathname.length > 1 || search || hash) return null;
  const isTls = protocol === 'smtps:';
  const credentials = decodeCredentials(username, password);
  if (credentials === undefined) return null;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    isTls,
    credentials,
  };
}

/** Null without any; undefined for a user without a password, or what is not encoded properly. */
function decodeCredentials(user: string, password: string): SmtpServer['credentials'] | undefined {
  if (!user && !password) return null;
  if (!user || !password) return undefined;
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

/** Null for what is no mailbox. */
function parseMailbox(text: string): MailSettings['from'] | null {
  const [, name = '', bracketed] = /^([^<>\r\n]*)<([^<>]*)>$/.exec(text) ?? [];
  const parsed = address.safeParse(bracketed ?? text);
  return parsed.success ? { name: name.trim().replace(/^"|"$/g, ''), address: parsed.data } : null;
}
