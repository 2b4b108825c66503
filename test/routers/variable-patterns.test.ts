/** The regular expressions that eggs have for their variables: which are shown, and that none holds up the process. */
import { expect } from 'chai';
import fc from 'fast-check';
import { findValueProblem, readVariableRules } from '../../routers/servers/variable-rules.ts';

const { raw } = String;

const shared = [
  ...['^[a-z]+$', raw`^\d{1,3}(?:\.\d{1,3}){3}$`, raw`^[\w\-.]{2,}?$`, '^[a-zA-Z0-9-_]+$', '^.* .*$', '[.]'],
  ...['^(?=.*[A-Z])(?!.*x).{8,}$', raw`^[!-\/:-@[\\\]^_{-~]$`, raw`\bv\x31\B`, '^[^-]*$', '[-a-]', '#', '^'],
];

const unshared = [
  ...raw`\Aa\z a\Z \h a\Kb \Qa.b\E \G \R \p{L} \v [\b] \x{41} \01 (a)\1 \k<n> [\w-.] [a-\d]`.split(' '),
  ...'[[:alpha:]] [:alpha:] [.a.] []a] [^] [^]a] [b-a] a++ a*+ a?+ a{2}+ a{,2} a{ a] ( a) ^é$'.split(' '),
  ...'(?>a) (?i)a (?i:a) (?#a) (*UTF8)a (?P<n>a) (?<n>a) (?R) (?1) (?<=a)b (?|a)'.split(' '),
];

const patternOf = (expression: string) => readVariableRules(`regex:${expression}`).pattern;
const findProblem = (value: string, pattern: string) =>
  findValueProblem(value, readVariableRules(`regex:/${pattern}/`));

describe("a variable's pattern", () => {
  it('is shown without its delimiters, which are any that PHP allows', () => {
    for (const expression of ['/^a$/', '#^a$#', '~^a$~ ', ' !^a$!', '(^a$)', '[^a$]', '{^a$}', '<^a$>'])
      expect(patternOf(expression), expression).to.equal('^a$');
    expect(patternOf('{^a{2}$}')).to.equal('^a{2}$');
    expect(patternOf(raw`/^\/a$/`)).to.equal(raw`^\/a$`);
  });

  it('is not shown if it does not end, or has flags', () => {
    const unended = ['', '/', '/^a', raw`/^a\/`, '{^a', '{a{2}', '^a$', 'a^a', '/a/b/', '(a)b)', '{a}}'];
    for (const expression of [...unended, '/^a$/i', '/^a$/u', '{^a$}D'])
      expect(patternOf(expression), expression).to.equal(null);
  });

  it('is shown if PHP and JavaScript read it in the same way', () => {
    for (const pattern of shared) expect(patternOf(`%${pattern}%`), pattern).to.equal(pattern);
    for (const pattern of unshared) expect(patternOf(`%${pattern}%`), pattern).to.equal(null);
    expect(patternOf(`/${'a'.repeat(501)}/`)).to.equal(null);
  });

  it('refuses the values that it does not match in JavaScript', () => {
    const atoms = 'a b . ^ $ ( (?: ) [a-c] [^a] [\\w.-] \\d \\W \\s \\b \\. \\x61 -'.split(' ');
    const quantifiers = ['', '', '*', '+', '??', '{2}', '{1,2}', '{0,}'];
    const part = fc
      .tuple(fc.constantFrom(...atoms), fc.constantFrom(...quantifiers))
      .map((texts) => texts.join(''));
    const pattern = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    const value = fc.string({ unit: fc.constantFrom(...'abc1. -'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(pattern, value, (tried, text) => {
        const shown = patternOf(`/${tried}/`);
        const refusal = shown === null || new RegExp(shown).test(text) ? null : `must match ${shown}`;
        expect(findProblem(text, tried)).to.equal(refusal);
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves a value to the panel where PHP counts bytes, or RE2 does not know the pattern', () => {
    expect(findProblem('é', '^a$')).to.equal(null);
    expect(findProblem('short', '^(?=.*[A-Z]).{8,}$')).to.equal(null);
  });

  it('does not hold up the process, however it repeats', () => {
    const value = `${'a'.repeat(1999)}!`;
    for (const pattern of ['^(a+)+$', '^(a*)*$', '^(a?a?)*$', '^([a-z]+)*$', '(.*a)+b$'])
      expect(findProblem(value, pattern), pattern).to.equal(`must match ${pattern}`);
    for (const pattern of [
      '^((a{0,50}){0,50})$',
      '^(((.{0,9}){9}){9}){9}b$',
      '^a{1,9999}$',
      `^${'(a?'.repeat(90)}${')'.repeat(90)}$`,
    ])
      expect(findProblem(value, pattern), pattern).to.equal(null);
  });

  it('is read quickly with any other text', () => {
    const texts = ['[', '(', '[a-', '[.', 'a?', '"', '\\', ',', '|', 'in:', 'max:1|', '0', ' ', 'regex:(('];
    for (const text of texts)
      for (const start of ['', 'regex:/', 'in:', 'in:"', 'max:', 'x'])
        for (const times of [400, 4000 / text.length, 100_000])
          findValueProblem('a', readVariableRules(`${start}${text.repeat(times)}`));
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.string(), (text, value) => {
        for (const start of ['', 'in:', 'regex:', 'regex:/', 'between:'])
          findValueProblem(value, readVariableRules(`${start}${text}/`));
      }),
    );
  });
});
