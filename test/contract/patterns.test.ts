/** Every regular expression in the source searches long text in linear time, so that no text blocks the process (ReDoS). */
import { Script } from 'node:vm';
import { expect } from 'chai';
import ts from 'typescript';
import { layers, placeOf, readSources } from '../support/source-tree.ts';

const length = 50_000;

/** A linear pattern takes milliseconds; a quadratic one takes many seconds, even on a fast machine. */
const timeoutMs = 5000;

const patterns = readSources(layers).flatMap((file) =>
  file.nodes
    .filter(ts.isRegularExpressionLiteral)
    .map((node): [string, string] => [`${placeOf(file, node)} ${node.text}`, node.text]),
);

/** Each character and kind of character in a pattern, and common ones. */
const charactersOf = (source: string) =>
  new Set([...source, ...escapedIn(source), ...' \t\n\r\0/-.,:=&"\\aZ0_é']);

const escapedIn = (source: string): string[] =>
  (source.match(/\\(x[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]+\}|[fnrtv])/gi) ?? []).map((written) =>
    new Script(`'${written}'`).runInNewContext(),
  );

/** Long runs of each character, before and after what the pattern expects, so that the match fails as late as possible. */
function longTexts(source: string): string[] {
  const opening = /^\/\^?([\w /:"=?-]*)/.exec(source)?.[1] ?? '';
  return [...charactersOf(source)].flatMap((character) => {
    const run = character.repeat(length);
    return [run, `${opening}${run}`, `${run}!`, `${opening}${run}!`, `${opening.repeat(length / 10)}${run}`];
  });
}

describe('regular expressions', () => {
  it('are found in the source', () => {
    expect(patterns.length).to.be.greaterThan(30);
  });

  for (const [place, source] of patterns)
    it(`at ${place} search ${length} characters of any kind in time`, () => {
      const search = new Script(`for (const text of texts) text.replace(${source}, '')`);
      search.runInNewContext({ texts: longTexts(source) }, { timeout: timeoutMs });
    });

  it('are recognized when they take too long', () => {
    for (const source of ['/^(a+)+$/', '/\\s+$/', '/\\r+$/', '/\\x1b+$/', '/^(.*,)*x/']) {
      const search = new Script(`for (const text of texts) text.replace(${source}, '')`);
      const inTime = () => search.runInNewContext({ texts: longTexts(source) }, { timeout: 500 });
      expect(inTime, source).to.throw('timed out');
    }
  });
});
