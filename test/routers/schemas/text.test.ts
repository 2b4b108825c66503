/** Text in requests: length and characters, field by field. */
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { useSamples } from '../../support/use-key.ts';

interface Write {
  path: string;
  right: object;
  /** Required fields with their maximum length, and fields that may be empty. */
  filled: Record<string, number>;
  mayBeEmpty: Record<string, number>;
  mayBeNull: string[];
}

const writes: Write[] = [
  {
    path: '/tickets',
    right: { title: 'Lag', message: 'Since noon.' },
    filled: { title: 200, message: 10_000 },
    mayBeEmpty: { service_name: 200, service_reference: 200, service_type: 200 },
    mayBeNull: ['service_name', 'service_reference', 'service_type'],
  },
  {
    path: '/tickets/1/reply',
    right: { message: 'It is over.' },
    filled: { message: 10_000 },
    mayBeEmpty: {},
    mayBeNull: [],
  },
  {
    path: '/admin/announcements',
    right: { title: 'News', message: 'We are open.' },
    filled: { title: 200, message: 10_000 },
    mayBeEmpty: { summary: 1000, tag: 100 },
    mayBeNull: ['tag'],
  },
];

describe('text', () => {
  const service = useSamples({ rateLimitPerMinute: 1_000_000 });

  for (const { path, right, filled, mayBeEmpty, mayBeNull } of writes) {
    const post = (field: string, value: unknown) =>
      service.call('POST', path, { key: service.key, body: { ...right, [field]: value } });
    const refusedAs = async (field: string, value: unknown, rule: string) =>
      expectError(await post(field, value), 'bad_request', `${field} ${rule}`);

    for (const [field, maxLength] of Object.entries({ ...filled, ...mayBeEmpty })) {
      it(`of up to ${maxLength} code points is accepted in ${field} of POST ${path} (201)`, async () => {
        for (const character of ['a', '🎮'])
          expect((await post(field, character.repeat(maxLength))).status).to.equal(201);
        const rule = `must be at most ${maxLength} characters`;
        await refusedAs(field, '🎮'.repeat(maxLength + 1), rule);
      });

      it(`is rejected in ${field} of POST ${path} if not a string or with invalid characters (400 bad_request)`, async () => {
        await refusedAs(field, 'a\0b', 'must not contain NUL characters');
        for (const value of ['\ud800', 'a\udc00', '\udc00\ud800'])
          await refusedAs(field, value, 'must be well-formed Unicode (it has a lone surrogate)');
        for (const value of [7, ['a'], { $ne: '' }, ...(mayBeNull.includes(field) ? [] : [null])])
          await refusedAs(field, value, 'must be a string');
      });
    }

    it(`is rejected in ${Object.keys(filled)} of POST ${path} when empty or only white space (400 bad_request)`, async () => {
      for (const field of Object.keys(filled))
        for (const value of ['', ' ', '\t\r\n', '\u00a0\u2003\u3000\ufeff'])
          await refusedAs(field, value, 'must not be empty');
    });

    const optional = [
      ...Object.keys(mayBeEmpty).map((field) => [field, '']),
      ...mayBeNull.map((field) => [field, null]),
    ];
    if (optional.length > 0)
      it(`may be empty or null in optional fields of POST ${path} (201)`, async () => {
        for (const [field, value] of optional)
          expect((await post(String(field), value)).status).to.equal(201);
      });
  }

  const subjectOf = async (title: string) => {
    const body = { title, message: 'Hello' };
    return (await service.call('POST', '/tickets', { key: service.key, body })).body.ticket.subject;
  };

  it('is stored as sent: not trimmed, escaped or normalized', async () => {
    const subject = ' <b>&amp; "\u0041\u030a" {{7*7}} $ne \u05e9\u05dc\u05d5\u05dd ';
    expect(await subjectOf(subject)).to.equal(subject);
  });

  it('loses invisible characters, which only programs would read', async () => {
    const carriers = [...invisible, 'hidden'.replace(/./g, toVariationSelector), '\u{e0069}\u{e0067}'];
    expect(await subjectOf(carriers.map((each) => `a${each}b`).join(' '))).to.equal(
      carriers.map(() => 'ab').join(' '),
    );
    const message = { message: `Since${invisible.join('')} noon.\r\n\tMore` };
    const { body } = await service.call('POST', '/tickets', {
      ...{ key: service.key, body: { title: 'Lag', ...message } },
    });
    const read = await service.call('GET', `/tickets/${body.ticket.id}`, { key: service.key });
    expect(read.body.messages[0].message).to.equal('Since noon.\r\n\tMore');
  });

  it('keeps the invisible characters that emoji and some scripts need', async () => {
    for (const written of needed) expect(await subjectOf(written)).to.equal(written);
  });

  it('counts as empty in messages and names if it has only invisible characters (400 bad_request)', async () => {
    for (const nothing of [...invisible, '\u2800', '\u{1d159}', ' \u200b\u2800\u3164 '])
      for (const { path, right, filled } of writes)
        for (const field of Object.keys(filled)) {
          const body = { ...right, [field]: nothing };
          const refused = await service.call('POST', path, { key: service.key, body });
          expectError(refused, 'bad_request', `${field} must not be empty`);
        }
  });

  it('of a single line has no line breaks or other control characters (400 bad_request)', async () => {
    for (const control of ['\r\n', '\n', '\t', '\u001b', '\u0085', '\u2028'])
      for (const field of ['title', 'service_name']) {
        const body = { title: 'Lag', message: 'Hello', [field]: `a${control}b` };
        const refused = await service.call('POST', '/tickets', { key: service.key, body });
        expectError(refused, 'bad_request', `${field} must be a single line without control characters`);
      }
  });

  it('of a message has no control characters except line breaks and tabs (400 bad_request)', async () => {
    for (const control of ['\u001b', '\u0007', '\u009b', '\u007f']) {
      const body = { title: 'Lag', message: `a${control}b` };
      const refused = await service.call('POST', '/tickets', { key: service.key, body });
      const rule = 'must not contain control characters other than line breaks and tabs';
      expectError(refused, 'bad_request', `message ${rule}`);
    }
  });
});

const invisible = [
  ...['\u200b', '\u2060', '\u3164', '\u00ad', '\u115f', '\u1160', '\uffa0', '\u180e', '\u2064', '\ufffa'],
  ...['\u202e', '\u2069', '\u200e', '\u061c', '\ufeff', '\u034f', '\u{e0041}', '\ufe00', '\u{e0100}'],
  ...['\u200d', '\u200c', '\ufe0f', '\u17b4', '\u180b', '\u{1d173}'],
];

const toVariationSelector = (letter: string) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0) - 16);

const needed = [
  ...['👩\u200d🚀', '❤\ufe0f\u200d🔥', '🏳\ufe0f\u200d🌈', '👩🏽\u200d🚀', '1\ufe0f\u20e3', '☎\ufe0e'],
  ...['می\u200cخواهم', 'क्\u200dष', 'ශ්\u200dරී', 'שלום', 'مرحبا'],
];
