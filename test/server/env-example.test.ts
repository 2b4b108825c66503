/** .env.example names every setting with its reason and its default, and can be used as it is. */
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { readConfig, settingNames } from '../../server/config.ts';
import { readDocument } from '../support/documents.ts';

/** What docker-compose.yml reads and the service does not. */
const ofCompose = ['MONGODB_ROOT_PASSWORD', 'MONGODB_PASSWORD', 'REDIS_PASSWORD', 'GAMEHOST_IMAGE'];

describe('.env.example', () => {
  let lines: string[];
  /** Name and value of each setting, commented out or not. */
  let settings: [name: string, value: string][];

  before(async () => {
    lines = (await readDocument('.env.example')).split('\n');
    settings = lines.flatMap((line) => {
      const [, name, value] = /^#?([A-Z_]+)=(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as [string, string]];
    });
  });

  it('names every setting, and those of docker-compose.yml, once', () => {
    const wanted = settingNames.filter((name) => name !== 'npm_lifecycle_event'); // npm's own
    expect(settings.map(([name]) => name)).to.have.members([...wanted, ...ofCompose]);
  });

  it('has a reason of one line above each', () => {
    const bare = lines.filter(
      (line, index) => /^#?[A-Z_]+=/.test(line) && !/^# \w.{10,120}$/.test(lines[index - 1] ?? ''),
    );
    expect(bare).to.deep.equal([]);
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
