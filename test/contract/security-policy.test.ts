/** SECURITY.md is accurate: its pattern finds our keys, and the tests and commands it names exist. */
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { generateSecret, isWellFormedSecret } from '../../models/api-key/secret.ts';
import { createProgram } from '../../server/cli/program.ts';
import { sectionOf } from '../support/documents.ts';
import { projectRoot } from '../support/source-tree.ts';

const policy = readFileSync(`${projectRoot}.github/SECURITY.md`, 'utf8');

describe('SECURITY.md', () => {
  it('has a pattern with which a scanner finds every key in any surrounding text', () => {
    const [, pattern = ''] = /```regex\n(.+)\n```/.exec(policy) ?? [];
    for (let times = 0; times < 100; times += 1) {
      const key = generateSecret(times % 2 === 0 ? 'gamehost' : 'acme2');
      const [found = ''] = new RegExp(pattern).exec(`{"key": "${key}"}`) ?? [];
      expect(found).to.equal(key);
      expect(isWellFormedSecret(found)).to.equal(true);
    }
  });

  it('says within how many days a report is answered', () => {
    expect(sectionOf(policy, 'How to report a vulnerability')).to.match(
      /acknowledge your report within \d working days/,
    );
  });

  it('names tests that exist', () => {
    const named = [...policy.matchAll(/test\/[\w/.-]+\.ts/g)].map(([path]) => path);
    expect(named).to.not.have.lengthOf(0);
    expect(named.filter((path) => !existsSync(projectRoot + path))).to.deep.equal([]);
  });

  it('names commands that exist', () => {
    const nouns = createProgram().commands;
    const named = [...policy.matchAll(/`(?:npm run -s cli -- )?(key|audit|user|app) ([a-z-]+)/g)];
    expect(named).to.not.have.lengthOf(0);
    for (const [words, noun, verb] of named) {
      const known = nouns
        .find((command) => command.name() === noun)
        ?.commands.map((command) => command.name());
      expect(known, words).to.include(verb);
    }
  });
});
