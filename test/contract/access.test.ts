/** Authentication and authorization of every keyed endpoint: which keys it accepts, and which refusals it gives in which order. */
import { expect } from 'chai';
import { generateSecret } from '../../models/api-key/secret.ts';
import type { UserRecord } from '../../models/user.ts';
import { scopes } from '../../routers/scopes.ts';
import { expectError } from '../support/expect-error.ts';
import { sampleInputOf } from '../support/sample-inputs.ts';
import {
  addSamples,
  explainRefusal,
  isUpsert,
  keyedOperations,
  missingNameOf,
  oneOfEachKind,
  requestKindOf,
  restRequestOf,
  type Sample,
  sampleOf,
  withUnknownField,
} from '../support/samples.ts';
import { useService } from '../support/service.ts';

const malformed = 'API key malformed: it is not a complete key; check for missing or mistyped characters';
const otherScheme =
  'API key malformed: the header Authorization must read "Bearer <API_KEY>", with the word Bearer and one space';
const notAlone = 'API key malformed: the header X-API-Key must be the key alone, without "Bearer"';
const missing = 'API key missing: send it as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>"';

/** Scopes that the sample's tasks need. */
const ofTasks = ['write:servers', 'write:backups', 'manage:backups'];

describe('authentication', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });
  let admin: UserRecord;
  let key: string;
  let restore: () => Promise<void>;
  const bad: Record<string, { headers: Record<string, string>; message: string }> = {};

  before(async () => {
    ({ user: admin, key, restore } = await addSamples(service));
    const revoked = await service.addKey({ user: admin });
    await service.models.apiKeys.revoke(revoked.key._id, new Date());
    const expired = await service.addKey({ user: admin, expiresAt: new Date(Date.now() - 1) });
    const mistyped = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a');
    Object.assign(bad, {
      missing: { headers: {}, message: missing },
      'of another scheme': { headers: { Authorization: `Basic ${key}` }, message: otherScheme },
      'of the scheme Token': { headers: { Authorization: `Token ${key}` }, message: otherScheme },
      'without a scheme': { headers: { Authorization: key }, message: otherScheme },
      'with its scheme twice': { headers: { Authorization: `Bearer Bearer ${key}` }, message: otherScheme },
      'with its scheme in X-API-Key': { headers: { 'X-API-Key': `Bearer ${key}` }, message: notAlone },
      'in both headers, of another scheme in one': {
        headers: { Authorization: `Token ${key}`, 'X-API-Key': key },
        message: otherScheme,
      },
      'without its secret': { headers: { Authorization: 'Bearer' }, message: otherScheme },
      'no key of ours': { headers: { Authorization: 'Bearer sesame' }, message: malformed },
      mistyped: { headers: { 'X-API-Key': mistyped }, message: malformed },
      unknown: { headers: { Authorization: `Bearer ${generateSecret()}` }, message: 'API key unknown' },
      expired: { headers: { Authorization: `Bearer ${expired.secret}` }, message: 'API key expired' },
      revoked: { headers: { 'X-API-Key': revoked.secret }, message: 'API key revoked' },
      'two different ones': {
        headers: { Authorization: `Bearer ${key}`, 'X-API-Key': generateSecret() },
        message: 'API key malformed: Authorization and X-API-Key name different keys',
      },
    });
  });

  const send = ({ method, path, body }: Sample, headers: Record<string, string>) =>
    service.call(method, path, { body, headers });

  /** Undoes a write before the next one. */
  async function sendOwn(sample: Sample, headers: Record<string, string>) {
    const answer = await send(sample, headers);
    if (sample.method !== 'GET') await restore();
    return answer;
  }

  for (const row of oneOfEachKind(keyedOperations, requestKindOf))
    describe(`${row.method} ${row.path}`, () => {
      it('names what is wrong with each kind of bad key (401 unauthorized)', async () => {
        for (const [kind, { headers, message }] of Object.entries(bad)) {
          const answer = await send(sampleOf(row), headers);
          expectError(answer, 'unauthorized', message);
          const challenge = kind === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"';
          expect(answer.headers.get('WWW-Authenticate'), kind).to.equal(challenge);
          expect(answer.headers.has('X-RateLimit-Limit'), kind).to.equal(false);
        }
      });

      it(`accepts the key in either header, in both, or beside a proxy's password (${row.status})`, async () => {
        const bearer = { Authorization: `Bearer ${key}` };
        const forms = [
          bearer,
          { Authorization: `bearer  ${key}` },
          { 'X-API-Key': key },
          { ...bearer, 'X-API-Key': key },
          { Authorization: 'Basic c3RhZ2luZzpzZWNyZXQ=', 'X-API-Key': key },
        ];
        for (const headers of forms) {
          const { status, body } = await sendOwn(sampleOf(row), headers);
          expect(status, explainRefusal(body?.error)).to.equal(row.status);
        }
      });
    });

  for (const row of keyedOperations) {
    const sample = sampleOf(row);

    describe(`${row.method} ${row.path}`, () => {
      it('refuses a caller without a key (401 unauthorized)', async () => {
        expectError(await send(sample, {}), 'unauthorized', missing);
      });

      if (row.scope !== 'any')
        it('refuses a key with every other scope and names the missing one (403 insufficient_scope)', async () => {
          const others = scopes.filter((scope) => scope !== row.scope);
          const { secret } = await service.addKey({ user: admin, scopes: others });
          const answer = await send(sample, { 'X-API-Key': secret });
          expectError(
            answer,
            'insufficient_scope',
            `This key lacks the scope ${row.scope}: create a key with it at /account#keys`,
          );
        });

      if (row.pathParameters.length > 0 && !isUpsert(row))
        it('refuses an unknown name (404 not_found)', async () => {
          const [field = ''] = row.pathParameters;
          const input = { ...sampleInputOf(row), [field]: missingNameOf(row) };
          const answer = await send(restRequestOf(row, input), { 'X-API-Key': key });
          expectError(answer, 'not_found', answer.body.error.message);
        });

      it(`accepts a key with only the required scope (${row.status})`, async () => {
        const needed: unknown[] = [row.scope, ...(row.scope === 'manage:schedules' ? ofTasks : [])];
        const { secret } = await service.addKey({
          user: admin,
          scopes: scopes.filter((scope) => needed.includes(scope)),
        });
        const { status, body } = await sendOwn(sample, { 'X-API-Key': secret });
        expect(status, explainRefusal(body?.error)).to.equal(row.status);
      });
    });
  }
});

describe('the order of refusals', () => {
  const service = useService({ rateLimitPerMinute: 1 });
  let admin: UserRecord;

  before(async () => {
    admin = await service.addUser({ isAdmin: true, panelUserId: 7 });
    service.panel.servers.set(7, []);
  });

  const keyWith = (isGranted: (scope: string) => boolean) =>
    service.addKey({ user: admin, scopes: scopes.filter(isGranted) });

  for (const row of oneOfEachKind(keyedOperations, requestKindOf)) {
    const { method } = sampleOf(row);
    const wrong = withUnknownField(row);

    describe(`${method} ${row.path}`, () => {
      it('checks for 401 before 429 before 403 before 400', async () => {
        const refusal = row.scope === 'any' ? 400 : 403;
        const { key, secret } = await keyWith((scope) => scope !== row.scope);
        const send = () => service.call(method, wrong.path, { key: secret, body: wrong.body });
        expect((await send()).status).to.equal(refusal);
        expect((await send()).status).to.equal(429);
        await service.models.apiKeys.revoke(key._id, new Date());
        expect((await send()).status).to.equal(401);
      });

      it('checks for 400 before 404', async () => {
        const { secret } = await keyWith((scope) => scope === row.scope);
        const answer = await service.call(method, wrong.path, { key: secret, body: wrong.body });
        expectError(answer, 'bad_request', 'surprise is not a known field');
      });
    });
  }
});
