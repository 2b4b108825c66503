/** .env.example is generated from the settings' schema, and works unedited. */
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { describeSettings } from '../../server/build/env-example.ts';
import { readConfig } from '../../server/config.ts';
import { operationsGuide, readDocument } from '../support/documents.ts';

/** Compose and `node --env-file` agree on these, but not on blanks, #, $, quotes and backslashes in other places. */
const readAlike = /^([\w./:@,+-]*|'[^']*')$/;

describe('.env.example', () => {
  let text: string;

  before(async () => {
    text = await readDocument('.env.example');
  });

  it('describes every setting with its default, as npm run format writes it', async () => {
    expect(text).to.equal(describeSettings(await readDocument('docker-compose.yml')));
    expect(text).to.match(/\n# Calls per minute and key\n#RATE_LIMIT_PER_MINUTE=120\n/);
  });

  it('describes each setting in one line', () => {
    const lines = text.split('\n');
    const bare = lines.filter(
      (line, index) => /^#?[A-Z_]+=/.test(line) && !/^# \w.{10,120}$/.test(lines[index - 1] ?? ''),
    );
    expect(bare).to.deep.equal([]);
  });

  it('changes nothing when it is used unedited, or with every line uncommented', () => {
    for (const given of [text, text.replace(/^#([A-Z_]+=)/gm, '$1')])
      expect(readConfig(parseEnv(given))).to.deep.equal(readConfig({}));
  });

  it('quotes values, as the operations guide does, so that docker compose and node --env-file read the same', async () => {
    const guide = (await Promise.all(operationsGuide.map(readDocument))).join('\n');
    const blocks = [...guide.matchAll(/^```ini\n([A-Z_]+=.*?)^```/gms)].map(([, block = '']) => block);
    const written = [...text.split('\n'), ...blocks.join('').split('\n')].flatMap((line) => {
      const [, value] = /^#?[A-Z_]+=(.*)$/.exec(line) ?? [];
      return value ?? [];
    });
    expect(blocks).to.have.lengthOf(2);
    expect(written.filter((value) => !readAlike.test(value))).to.deep.equal([]);
  });
});
