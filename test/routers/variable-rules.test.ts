/** The rules that the eggs of games have for their variables: what is shown of them, and which values they refuse. */
import { expect } from 'chai';
import {
  findValueProblem,
  readVariableRules,
  type VariableRules,
} from '../../routers/servers/variable-rules.ts';

type Shown = Partial<Omit<VariableRules, 'forms'>>;
type Refusal = [value: string, problem: string];

const unset = { kind: 'text', options: null, min: null, max: null, pattern: null, isRequired: false };
const jar = String.raw`^([\w\d._-]+)(\.jar)$`;
const notEmpty: Refusal = ['', 'must not be empty'];
const notInteger: Refusal = ['x', 'must be an integer'];
const notBoolean: Refusal = ['true', 'must be 0 or 1'];
const letters = (count: number) => 'a'.repeat(count);

/** A rule text, what is shown of it besides whether it is required, values that it allows, and values that it refuses. */
const games: Record<string, [rules: string, shown: Shown, allowed: string[], ...refused: Refusal[]][]> = {
  Paper: [
    [
      'nullable|string|max:20',
      { max: 20 },
      ['', '1.21.4', 'é'.repeat(20), '🎮'.repeat(20)],
      [letters(21), 'must be at most 20 characters'],
    ],
    [
      String.raw`required|regex:/^([\w\d._-]+)(\.jar)$/`,
      { pattern: jar },
      ['server.jar', 'sérver.jar'],
      notEmpty,
      ['server.zip', `must match ${jar}`],
      ['../server.jar', `must match ${jar}`],
    ],
    ['nullable|string', {}, ['', 'https://example.com/server.jar']],
    [
      'required|string|max:20',
      { max: 20 },
      ['latest'],
      notEmpty,
      [letters(21), 'must be at most 20 characters'],
    ],
  ],
  'Vanilla Minecraft': [
    [
      'required|string|between:3,15',
      { min: 3, max: 15 },
      ['latest'],
      ['1', 'must be at least 3 characters'],
      [letters(16), 'must be at most 15 characters'],
    ],
  ],
  Forge: [
    [
      'required|string|in:recommended,latest',
      { kind: 'choice', options: ['recommended', 'latest'] },
      ['latest'],
      notEmpty,
      ['newest', 'must be one of recommended, latest'],
    ],
    [
      String.raw`nullable|regex:/^[0-9\.\-]+$/`,
      { pattern: String.raw`^[0-9\.\-]+$` },
      ['', '14.23.5-2859'],
      ['v14', String.raw`must match ^[0-9\.\-]+$`],
    ],
  ],
  BungeeCord: [
    [
      'required|alpha_num|between:1,6',
      { min: 1, max: 6 },
      ['latest', '1812', 'été'],
      ['1.8', 'must have only letters and numbers'],
      ['1234567', 'must be at most 6 characters'],
    ],
  ],
  Sponge: [
    [
      String.raw`required|regex:/^([a-zA-Z0-9.\-_]+)$/`,
      { pattern: String.raw`^([a-zA-Z0-9.\-_]+)$` },
      ['1.12.2-7.3.0'],
      ['a b', String.raw`must match ^([a-zA-Z0-9.\-_]+)$`],
    ],
  ],
  Bedrock: [
    [
      'required|in:peaceful,easy,normal,hard',
      { kind: 'choice', options: ['peaceful', 'easy', 'normal', 'hard'] },
      ['hard'],
      ['Hard', 'must be one of peaceful, easy, normal, hard'],
    ],
    [
      'required|string|in:true,false',
      { kind: 'choice', options: ['true', 'false'] },
      ['true'],
      ['1', 'must be one of true, false'],
    ],
  ],
  Rust: [
    ['required|integer', { kind: 'integer' }, ['4500', '-1', '+0'], notInteger, ['010', notInteger[1]]],
    [
      'required|in:vanilla,oxide,carbon',
      { kind: 'choice', options: ['vanilla', 'oxide', 'carbon'] },
      ['oxide'],
      ['umod', 'must be one of vanilla, oxide, carbon'],
    ],
    [
      String.raw`required|regex:/^[\w.-]*$/|max:64`,
      { max: 64, pattern: String.raw`^[\w.-]*$` },
      ['Rcon-1'],
      ['a b', String.raw`must match ^[\w.-]*$`],
      [letters(65), 'must be at most 64 characters'],
    ],
    ['nullable|url', {}, ['', 'left to the panel']],
  ],
  Valheim: [
    [
      'required|string|between:5,20',
      { min: 5, max: 20 },
      ['secret'],
      ['four', 'must be at least 5 characters'],
    ],
    ['required|boolean', { kind: 'boolean' }, ['0', '1'], notBoolean, ['01', notBoolean[1]], notEmpty],
    [
      'required|integer|min:60',
      { kind: 'integer', min: 60 },
      ['60'],
      ['59', 'must be at least 60'],
      ['1e3', notInteger[1]],
    ],
  ],
  ARK: [
    [
      'nullable|alpha_dash|between:1,100',
      { min: 1, max: 100 },
      ['', 'Pass_word-1'],
      ['pass word', 'must have only letters, numbers, hyphens and underscores'],
    ],
    ['required|numeric', { kind: 'number' }, ['27020', '.5', '1e3'], ['0x1F', 'must be a number']],
  ],
  'CS2 and CS:GO': [
    [
      'required|string|alpha_num|size:32',
      { min: 32, max: 32 },
      [letters(32)],
      [letters(31), 'must be at least 32 characters'],
      [letters(33), 'must be at most 32 characters'],
    ],
    [
      'required|string|alpha_dash',
      {},
      ['de_dust2'],
      ['maps/x', 'must have only letters, numbers, hyphens and underscores'],
    ],
    [
      'required|string|in:0,1',
      { kind: 'choice', options: ['0', '1'] },
      ['1', '01'],
      ['2', 'must be one of 0, 1'],
    ],
  ],
  "Garry's Mod": [
    [
      'required|integer|max:128',
      { kind: 'integer', max: 128 },
      ['128', '99'],
      ['129', 'must be at most 128'],
    ],
    ['nullable|integer', { kind: 'integer' }, ['', '0'], ['1.5', notInteger[1]]],
  ],
  'Team Fortress 2': [
    [
      String.raw`required|regex:/^(\w{1,20})$/`,
      { pattern: String.raw`^(\w{1,20})$` },
      ['cp_dustbowl'],
      [letters(21), String.raw`must match ^(\w{1,20})$`],
    ],
  ],
  'Source engine': [
    [
      'required|numeric|digits_between:1,6',
      { kind: 'number' },
      ['232250', '1234567'],
      ['-1', 'must have only digits'],
    ],
  ],
  Terraria: [
    [
      'required|numeric|min:1|max:3',
      { kind: 'number', min: 1, max: 3 },
      ['2', '2.5'],
      ['0', 'must be at least 1'],
      ['4', 'must be at most 3'],
    ],
    [
      'required|digits_between:1,3',
      { min: 1, max: 3 },
      ['007'],
      ['1234', 'must be at most 3 characters'],
      ['1.5', 'must have only digits'],
    ],
  ],
  Factorio: [
    ['nullable|alpha_num|max:100', { max: 100 }, [''], ['a-b', 'must have only letters and numbers']],
    [
      'required|numeric|between:0.1,12',
      { kind: 'number', min: 0.1, max: 12 },
      ['11'],
      ['0', 'must be at least 0.1'],
    ],
  ],
  TeamSpeak: [
    [
      'required|integer|between:1025,65535',
      { kind: 'integer', min: 1025, max: 65535 },
      ['30033'],
      ['80', 'must be at least 1025'],
    ],
  ],
  Mumble: [
    [
      String.raw`required|regex:/^([0-9_\.-]{5,8})$/`,
      { pattern: String.raw`^([0-9_\.-]{5,8})$` },
      ['1.3.4'],
      ['1', String.raw`must match ^([0-9_\.-]{5,8})$`],
    ],
  ],
  Palworld: [
    [
      'required|integer|between:1,32',
      { kind: 'integer', min: 1, max: 32 },
      ['32'],
      ['33', 'must be at most 32'],
    ],
  ],
  'Node.js, Python and Discord bots': [
    ['required|bool', { kind: 'boolean' }, ['1'], notBoolean],
    ['required|int|digits:5', { kind: 'integer' }, ['25565'], ['-25565', 'must have only digits']],
    [
      'nullable|digits:18',
      { min: 18, max: 18 },
      ['123456789012345678'],
      ['123', 'must be at least 18 characters'],
    ],
    ['required|string|max:1', { max: 1 }, ['!'], ['!!', 'must be at most 1 character']],
    ['sometimes|alpha|min:2', { min: 2 }, ['été'], ['a1', 'must have only letters']],
  ],
};

const show = ({ forms: _, ...shown }: VariableRules) => shown;
const showText = (text: string) => show(readVariableRules(text));
const findProblem = (value: string, text: string) => findValueProblem(value, readVariableRules(text));

describe("a variable's rules", () => {
  for (const [game, rows] of Object.entries(games))
    it(`of ${game} are shown, and refuse what they name`, () => {
      for (const [text, shown, allowed, ...refused] of rows) {
        const isRequired = text.startsWith('required');
        expect(showText(text), text).to.deep.equal({ ...unset, isRequired, ...shown });
        for (const value of allowed) expect(findProblem(value, text), `${text}: ${value}`).to.equal(null);
        for (const [value, problem] of refused)
          expect(findProblem(value, text), `${text}: ${value}`).to.equal(problem);
      }
    });

  it('mean the same in any order, with spaces, and in other spellings', () => {
    for (const text of ['max:5|integer|required', ' Required | INT | max: 5 ', 'between:,5|Integer|required'])
      expect(showText(text), text).to.deep.equal({ ...unset, kind: 'integer', max: 5, isRequired: true });
    expect(findProblem('a b', 'AlphaDash')).to.equal(findProblem('a b', 'alpha_dash'));
  });

  it('keep a boolean with options a boolean', () => {
    const shown = { ...unset, kind: 'boolean', options: ['1'] };
    expect(showText('in:1|boolean')).to.deep.equal(shown);
    expect(findProblem('0', 'boolean|in:1')).to.equal('must be one of 1');
  });

  it('have options as PHP reads them from CSV, except those that no trimmed value equals', () => {
    const optionsOf = (text: string) => showText(text).options;
    expect(optionsOf('in:"a,b", "say ""hi""",c')).to.deep.equal(['a,b', 'say "hi"', 'c']);
    expect(optionsOf('in:easy, hard,1, 2')).to.deep.equal(['easy', '1', '2']);
    expect(optionsOf('in:a,a,"b')).to.deep.equal(['a', 'b']);
  });

  it('do not repeat a long list of options', () => {
    expect(findProblem('x', `in:${Array.from({ length: 200 }, (_, index) => index).join(',')}`)).to.equal(
      'must be one of its options',
    );
  });

  it('add nothing where they are not understood', () => {
    for (const text of [
      '',
      'starts_with:a',
      'max',
      'max:many',
      'between:',
      'in:',
      'min:1e999',
      'constructor',
    ])
      expect(showText(text), text).to.deep.equal(unset);
    expect(showText(`max:5|in:${letters(5000)}`)).to.deep.equal(unset);
  });
});
