/** Text in requests, field by field: length and characters. */
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { useSampled } from '../../support/use-key.ts';

interface Write {
  path: string;
  right: object;
  /** Fields that must hold something, with their greatest length; and those that may be empty. */
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
  const service = useSampled({ rateLimitPerMinute: 1_000_000 });

  for (const { path, right, filled, mayBeEmpty, mayBeNull } of writes) {
    const post = (field: string, value: unknown) =>
      service.call('POST', path, { key: service.key, body: { ...right, [field]: value } });
    const refusedAs = async (field: string, value: unknown, rule: string) =>
      expectError(await post(field, value), 'bad_request', `${field} ${rule}`);

    for (const [field, maxLength] of Object.entries({ ...filled, ...mayBeEmpty })) {
      it(`201: ${field} of POST ${path} has ${maxLength} code points and no more`, async () => {
        for (const character of ['a', '🎮'])
          expect((await post(field, character.repeat(maxLength))).status).to.equal(201);
        const rule = `must be at most ${maxLength} characters`;
        await refusedAs(field, '🎮'.repeat(maxLength + 1), rule);
      });

      it(`400 bad_request: ${field} of POST ${path} is no text, or has characters that are none`, async () => {
        await refusedAs(field, 'a\0b', 'must not contain NUL characters');
        for (const value of ['\ud800', 'a\udc00', '\udc00\ud800'])
          await refusedAs(field, value, 'must be well-formed Unicode (it has a lone surrogate)');
        for (const value of [7, ['a'], { $ne: '' }, ...(mayBeNull.includes(field) ? [] : [null])])
          await refusedAs(field, value, 'must be a string');
      });
    }

    it(`400 bad_request: ${Object.keys(filled)} of POST ${path} is empty or only white space`, async () => {
      for (const field of Object.keys(filled))
        for (const value of ['', ' ', '\t\r\n', '\u00a0\u2003\u3000\ufeff'])
          await refusedAs(field, value, 'must not be empty');
    });

    const optional = [
      ...Object.keys(mayBeEmpty).map((field) => [field, '']),
      ...mayBeNull.map((field) => [field, null]),
    ];
    if (optional.length > 0)
      it(`201: what may be left out of POST ${path} is empty or null`, async () => {
        for (const [field, value] of optional)
          expect((await post(String(field), value)).status).to.equal(201);
      });
  }

  it('is stored as sent: not trimmed, escaped or normalized', async () => {
    const subject = ' <b>&amp; "\u0041\u030a" {{7*7}} $ne \u202eabc\u200b ';
    const { body } = await service.call('POST', '/tickets', {
      key: service.key,
      body: { title: subject, message: 'Hello' },
    });
    expect(body.ticket.subject).to.equal(subject);
  });
});
