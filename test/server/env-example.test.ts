/** .env.example names every setting with its reason and its default, and can be used as it is. */
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { readConfig, secretSettings, settingNames } from '../../server/config.ts';
import { operationsGuide, readDocument } from '../support/documents.ts';

/** What docker-compose.yml reads and the service does not. */
const ofCompose = [
  ...['MONGODB_ROOT_PASSWORD', 'MONGODB_PASSWORD', 'REDIS_PASSWORD'],
  ...['GAMEHOST_IMAGE', 'PUBLISH', 'BACKUPS'],
];

/** Compose and `node --env-file` read these alike; they differ about blanks, #, $, quotes and backslashes elsewhere. */
const readAlike = /^([\w./:@,+-]*|'[^']*')$/;

describe('.env.example', () => {
  let lines: string[];
  /** Name and value of each setting, commented out or not. */
  let settings: [name: string, value: string][];

  before(async () => {
    const text = await readDocument('.env.example');
    lines = text.split('\n');
    // As if everything were uncommented.
    settings = Object.entries(parseEnv(text.replace(/^#([A-Z_]+=)/gm, '$1'))) as typeof settings; // none is undefined
  });

  it('names every setting, and those of docker-compose.yml, once', () => {
    const wanted = settingNames.filter((name) => name !== 'npm_lifecycle_event'); // npm's own
    const names = lines.flatMap((line) => /^#?([A-Z_]+)=/.exec(line)?.[1] ?? []);
    expect(names).to.have.members([...wanted, ...ofCompose]);
  });

  it('has a reason of one line above each', () => {
    const bare = lines.filter(
      (line, index) => /^#?[A-Z_]+=/.test(line) && !/^# \w.{10,120}$/.test(lines[index - 1] ?? ''),
    );
    expect(bare).to.deep.equal([]);
  });

  it('and the operations guide write each value so that docker compose and node --env-file read the same', async () => {
    const guide = (await Promise.all(operationsGuide.map(readDocument))).join('\n');
    const blocks = [...guide.matchAll(/^```ini\n([A-Z_]+=.*?)^```/gms)].map(([, block = '']) => block);
    const written = [...lines, ...blocks.join('').split('\n')].flatMap((line) => {
      const [, value] = /^#?[A-Z_]+=(.*)$/.exec(line) ?? [];
      return value ?? [];
    });
    expect(blocks).to.have.lengthOf(2);
    expect(written.filter((value) => !readAlike.test(value))).to.deep.equal([]);
  });

  it('says of each secret that a file may hold it', () => {
    const line = lines.find((each) => each.includes('NAME_FILE')) ?? '';
    const named = lines.slice(lines.indexOf(line), lines.indexOf(line) + 2).join(' ');
    expect(named.match(/\b[A-Z]+_[A-Z_]+\b/g)).to.have.members([...secretSettings, 'NAME_FILE']);
  });

  it('gives defaults that change nothing', () => {
    expect(readConfig(Object.fromEntries(settings))).to.deep.equal(readConfig({}));
  });

  it('leaves empty what it does not comment out, and what is empty counts as not given', async () => {
    const given = parseEnv(await readDocument('.env.example'));
    expect(new Set(Object.values(given))).to.deep.equal(new Set(['']));
    expect(readConfig(given)).to.deep.equal(readConfig({}));
  });

  it('shows that defaults are compared: another one would be seen', () => {
    const changed = settings.map(([name, value]) => [name, name === 'TICKETS_PER_DAY' ? '201' : value]);
    expect(readConfig(Object.fromEntries(changed))).not.to.deep.equal(readConfig({}));
  });
});
