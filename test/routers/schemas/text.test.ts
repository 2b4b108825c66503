/** Text in requests, field by field: length and characters. */
import { expect } from 'chai';
import { expectError } from '../../support/expect-error.ts';
import { addSampled } from '../../support/samples.ts';
import { useService } from '../../support/service.ts';

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
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let key: string;

  before(async () => {
    ({ key } = await addSampled(service));
  });

  for (const { path, right, filled, mayBeEmpty, mayBeNull } of writes) {
    const post = (field: string, value: unknown) =>
      service.call('POST', path, { key, body: { ...right, [field]: value } });
    const refusedAs = async (field: string, value: unknown, rule: string) =>
      expectError(await post(field, value), 'bad_request', `${field} ${rule}`);

    for (const [field, maxLength] of Object.entries({ ...filled, ...mayBeEmpty }))
      describe(`${field} of POST ${path}`, () => {
        it(`accepts ${maxLength} code points and no more`, async () => {
          for (const character of ['a', '🎮']) {
            expect((await post(field, character.repeat(maxLength))).status).to.equal(201);
            await refusedAs(
              field,
              character.repeat(maxLength + 1),
              `must be at most ${maxLength} characters`,
            );
          }
        });

        it('400 bad_request: NUL', async () => {
          for (const value of ['\0', 'a\0b'])
            await refusedAs(field, value, 'must not contain NUL characters');
        });

        it('400 bad_request: a lone surrogate', async () => {
          for (const value of ['\ud800', 'a\udc00', '\udc00\ud800'])
            await refusedAs(field, value, 'must be well-formed Unicode (it has a lone surrogate)');
        });

        it('400 bad_request: a value that is not a string', async () => {
          for (const value of [7, true, [], ['a'], {}, { $ne: '' }])
            await refusedAs(field, value, 'must be a string');
        });

        it(mayBeNull.includes(field) ? '201: null' : '400 bad_request: null', async () => {
          if (mayBeNull.includes(field)) expect((await post(field, null)).status).to.equal(201);
          else await refusedAs(field, null, 'must be a string');
        });
      });

    for (const field of Object.keys(filled))
      it(`400 bad_request: ${field} of POST ${path} is empty or only white space`, async () => {
        for (const value of ['', ' ', '\t\r\n', '\u00a0\u2003\u3000\ufeff'])
          await refusedAs(field, value, 'must not be empty');
      });

    for (const field of Object.keys(mayBeEmpty))
      it(`201: ${field} of POST ${path} is empty`, async () => {
        expect((await post(field, '')).status).to.equal(201);
      });
  }

  it('is stored as sent: not trimmed, escaped or normalized', async () => {
    const subject = ' <b>&amp; "\u0041\u030a" {{7*7}} $ne \u202eabc\u200b ';
    const { body } = await service.call('POST', '/tickets', {
      key,
      body: { title: subject, message: 'Hello' },
    });
    expect(body.ticket.subject).to.equal(subject);
  });
});
