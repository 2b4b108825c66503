/** The types of settings and of the command line's options. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

export const flag = z.stringbool({
  truthy: ['true', '1', 'yes', 'on'],
  falsy: ['false', '0', 'no', 'off'],
});

export const commaList = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

const isHostName = (name: string) =>
  !name.endsWith('.') && URL.canParse(`https://${name}`) && new URL(`https://${name}`).hostname === name;

export const hostNames = z
  .string()
  .toLowerCase()
  .pipe(commaList)
  .transform((names) => (names.join() === 'none' ? [] : names))
  .refine((names) => names.every(isHostName), 'must be host names separated by commas, or none');

export const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/, 'must be a whole number').transform(Number).pipe(z.int().min(min).max(max));

export const withoutEndSlash = (url: string) => url.replace(/(?<!\/)\/+$/, '');

/** Becomes the form that browsers send in Origin: lower case, without the default port. */
export const publicUrl = z
  .url({ protocol: /^https?$/ })
  .transform((url) => new URL(url))
  .refine(({ username, password, search, hash }) => !(username || password || search || hash), {
    error: 'must have no user name, query or fragment',
  })
  .refine(({ pathname }) => /^\/+$/.test(pathname), {
    error: 'must have no path: the service answers at the root of its own host name',
  })
  .transform(({ origin }) => origin);

export const redisUrl = z
  .string()
  .regex(/^rediss?:\/\//, { error: 'must begin with redis:// or rediss://', abort: true })
  .refine((url) => URL.canParse(url) && /^(\/\d*)?$/.test(new URL(url).pathname), {
    error:
      'must be of the form redis://USER:PASSWORD@HOST:PORT/NUMBER, with : / ? # [ ] @ and % in USER and PASSWORD percent-encoded',
  });

/** Trimmed, because a value from a file may end with a line break. */
export const headerText = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks');

/** Marks a setting that is a secret or contains a password, so that NAME_FILE may name a file that holds it. */
export const secret = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  schema.meta({ description, isSecret: true });

export function readSecretFiles(environment: NodeJS.ProcessEnv, names: readonly string[]) {
  const secrets: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of names) {
    const fileName = `${name}_FILE`;
    const path = environment[fileName];
    if (path === undefined) continue;
    const text = readOrNull(path)
      ?.toString()
      .replace(/\r?\n$/, '');
    if (environment[name]) problems.push(`${name} and ${fileName} are both set: give one of them`);
    else if (text === undefined) problems.push(`${fileName}: must be the path of a readable file`);
    else if (text === '') problems.push(`${fileName}: the file is empty`);
    else secrets[name] = text;
  }
  return { secrets, problems };
}

export function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** A contact: an e-mail address, or the URI of a page, a mail address or a telephone (RFC 9116, section 2.5.3). */
export const contactUri = z
  .string()
  .trim()
  .transform((contact) => (z.email().safeParse(contact).success ? `mailto:${contact}` : contact))
  .refine((contact) => /^(https:\/\/|mailto:|tel:)[\x21-\x7e]+$/.test(contact) && URL.canParse(contact), {
    error: 'must be an e-mail address, or begin with https://, mailto: or tel:',
  });

const areSignals = (signals: readonly string[]) =>
  signals.every((signal) => /^(search|ai-input|ai-train)=(yes|no)$/.test(signal)) &&
  new Set(signals.map((signal) => signal.split('=')[0])).size === signals.length;

/** The content signals of robots.txt, in one line (contentsignals.org), or null. */
export const contentSignal = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((signal) => signal.trim())))
  .refine(
    areSignals,
    'must be none, or some of search, ai-input and ai-train, each at most once, with =yes or =no, separated by commas',
  )
  .transform((signals) => signals.join(', ') || null);
