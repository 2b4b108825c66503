/** The settings of mail: the SMTP server, the sender, and support's mailbox. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { secret } from '../setting-types.ts';

/** `ownName`: the name in EHLO; undefined: the machine's name. */
export type SmtpServer = NonNullable<ReturnType<typeof parseServer>> & { ownName?: string };

export type MailSettings = NonNullable<ReturnType<typeof mailOf>['mail']>;

const address = z.email();

const smtpUrl = z
  .string()
  .transform(parseServer)
  .refine((server) => server !== null, {
    error:
      'must be of the form smtp://USER:PASSWORD@HOST:PORT, or smtps:// where TLS starts at once, with : / ? # [ ] @ and % in USER and PASSWORD percent-encoded; ?tls=allow-untrusted accepts any certificate',
  });

const mailbox = z
  .string()
  .trim()
  .transform(parseMailbox)
  .refine((parsed) => parsed !== null, {
    error: 'must be an e-mail address, or a name with one, such as Example Hosting <noreply@example.com>',
  });

export const mailSettings = {
  SMTP_URL: secret(
    smtpUrl.optional(),
    'Turns mail on: smtp:// with STARTTLS, or smtps://, USER:PASSWORD@HOST:PORT; with MAIL_FROM',
  ),
  SMTP_NAME: z
    .string()
    .regex(/^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i, 'must be a host name such as api.example.com')
    .optional()
    .describe('The name in the greeting to the mail server (EHLO); by default the host of PUBLIC_URL'),
  MAIL_FROM: mailbox
    .optional()
    .describe("The sender of mail, such as 'Example Hosting <noreply@example.com>'"),
  SUPPORT_EMAIL: z
    .string()
    .trim()
    .pipe(address)
    .optional()
    .describe('The address that gets mail when tickets are opened and replied to'),
};

type Settings = z.infer<z.ZodObject<typeof mailSettings>> & {
  PUBLIC_URL?: string | undefined;
  NODE_ENV: string;
};

export const mailOf = (env: Settings) => ({
  /** Null: mail is off. */
  mail: env.SMTP_URL && env.MAIL_FROM ? { server: serverOf(env.SMTP_URL, env), from: env.MAIL_FROM } : null,
  /** Receives ticket notices; null: none are sent. */
  supportEmail: env.SUPPORT_EMAIL ?? null,
});

/** Strict servers refuse a client that greets with an address of an inner network, as containers do. */
function serverOf(server: SmtpServer, { SMTP_NAME, PUBLIC_URL }: Settings): SmtpServer {
  const host = PUBLIC_URL && new URL(PUBLIC_URL).hostname;
  const ownName = SMTP_NAME ?? (host && isIP(host.replace(/^\[|\]$/g, '')) === 0 ? host : undefined);
  return { ...server, ...(ownName && { ownName }) };
}

export const missingMailSettings = (env: Settings): string[] => [
  ...(env.SMTP_URL && !env.MAIL_FROM ? ['MAIL_FROM is required with SMTP_URL'] : []),
  ...(env.MAIL_FROM && !env.SMTP_URL ? ['SMTP_URL is required with MAIL_FROM'] : []),
  ...(env.SMTP_URL && !env.PUBLIC_URL && env.NODE_ENV === 'production'
    ? ['PUBLIC_URL is required with SMTP_URL and NODE_ENV=production: links in mails begin with it']
    : []),
];

function parseServer(text: string) {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const allowsUntrusted = search === '?tls=allow-untrusted';
  if (!hostname || pathname.length > 1 || (search && !allowsUntrusted) || hash) return null;
  const isTls = protocol === 'smtps:';
  const credentials = decodeCredentials(username, password);
  if (credentials === undefined) return null;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 465 : 587) : Number(port),
    /** Implicit TLS; otherwise STARTTLS. */
    isTls,
    credentials,
    allowsUntrusted,
  };
}

/** Null without credentials; undefined without a password, or where the encoding is invalid. */
function decodeCredentials(user: string, password: string) {
  if (!user && !password) return null;
  if (!user || !password) return undefined;
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
  } catch {
    return undefined;
  }
}

/** Null for an invalid mailbox. `name` is empty where there is only an address. */
function parseMailbox(text: string) {
  const [, name = '', bracketed] = /^([^<>\r\n]*)<([^<>]*)>$/.exec(text) ?? [];
  const parsed = address.safeParse(bracketed ?? text);
  return parsed.success ? { name: name.trim().replace(/^"|"$/g, ''), address: parsed.data } : null;
}
