/** Writes .env.example: each setting with its description and its default, from the schema that reads them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { secretSettings, settings } from '../config.ts';

interface Entry {
  name: string;
  description: string;
  /** The default, as written in .env; empty if there is none. */
  value?: string;
}

/** Settings of docker-compose.yml that the service does not read. */
const composePasswords: Entry[] = [
  ['MONGODB_ROOT_PASSWORD', "the password of MongoDB's administrator"],
  ['MONGODB_PASSWORD', "the service's own password of MongoDB"],
  ['REDIS_PASSWORD', 'the password of Redis'],
].map(([name = '', meaning]) => ({
  name,
  description: `For docker compose: ${meaning}, from openssl rand -hex 32`,
}));

const composeChoices = (image: string): Entry[] => [
  {
    name: 'GAMEHOST_IMAGE',
    description:
      'For docker compose: another image, such as one by its digest; your_account stands for the account that publishes releases',
    value: image,
  },
  {
    name: 'PUBLISH',
    description:
      'For docker compose: the ADDRESS:PORT of nginx, such as 0.0.0.0:3000; without one, 127.0.0.1 and PORT',
  },
  {
    name: 'BACKUPS',
    description:
      'For docker compose: a directory for daily backups, writable for user 1000; without one, a volume of Docker',
  },
];

/** These come first in the file, not commented out: production needs them. */
const needed = ['SECRETS_KEY', 'PUBLIC_URL', 'PANEL_URL', 'PANEL_APPLICATION_KEY', 'PANEL_CLIENT_KEY'];

/** @param compose the text of docker-compose.yml, which names the released image */
export function describeSettings(compose: string): string {
  const [, image = ''] = /GAMEHOST_IMAGE:-([^}]{1,200})\}/.exec(compose) ?? [];
  const entries = Object.entries(settings).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    value: writeDefault(schema),
  }));
  const isNeeded = ({ name }: Entry) => needed.includes(name);
  const toFill = [...composePasswords, ...entries.filter(isNeeded)];
  const toChoose = [...composeChoices(image), ...entries.filter((entry) => !isNeeded(entry))];
  const chapters = [
    introduction(),
    ...toFill.map((entry) => writeEntry(entry, '')),
    '# Every other setting, with its default. Most services change few of them.',
    ...toChoose.map((entry) => writeEntry(entry, '#')),
  ];
  return `${chapters.join('\n\n')}\n`;
}

const introduction =
  () => `# Every setting. Copy this file to .env, readable by you only, fill in the first ones, and uncomment what you change.
# docker compose reads .env by itself; without it: server/start.sh --env-file=.env
# Put a value in single quotes: without them, Compose and Node read blanks, #, $, quotes and backslashes differently.
# A file may hold a secret instead, as NAME_FILE=PATH; in a container, mount the file:
# ${secretSettings.join(', ')}.
# server/operations/configure.md says more about some.`;

const writeEntry = ({ name, description, value = '' }: Entry, mark: string) =>
  `# ${description}\n${mark}${name}=${/^[\w./:@,+-]*$/.test(value) ? value : `'${value}'`}`;

function writeDefault(schema: z.ZodType): string {
  const { data } = schema.safeParse(undefined);
  return data === undefined ? '' : String(data);
}

const project = new URL('../../', import.meta.url);

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(
    new URL('.env.example', project),
    describeSettings(readFileSync(new URL('docker-compose.yml', project), 'utf8')),
  );
