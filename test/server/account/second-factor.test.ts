/** Codes of authenticator apps and recovery codes: when a sign-in requires one, and that each works once. */
import { expect } from 'chai';
import { readConfig } from '../../../server/config.ts';
import { openAccount, signInAccount } from '../../support/account.ts';
import {
  addAppUser,
  addAuthenticatorApp,
  codeOf,
  givePassword,
  outcomeOf,
  signedInEmailOf,
  stepMs,
} from '../../support/second-factor.ts';
import { startTestService, useService } from '../../support/service.ts';
import { storedText } from '../../support/stored-text.ts';

const minuteMs = 60_000;
const refused = [401, 'code is wrong, or was used before'];
const notShown = [403, 'Show a second factor first: none was shown in the last 10 minutes'];

describe('the sign-in of a user with an authenticator app', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });

  it('waits for the code: until then the session has no user, and every procedure is 401', async () => {
    const { user, secret } = await addAppUser(service);
    const account = openAccount(service.url);
    const { user: shown } = await account.api.session.signIn.mutate({
      email: user.email,
      password: 'correct horse',
    });
    expect([shown, await signedInEmailOf(account)]).to.deep.equal([null, null]);
    const { pending } = await account.api.session.current.query();
    expect(pending).to.deep.equal({ kinds: ['app'] });
    for (const procedure of ['keys.list', 'factors.list', 'sessions.list'])
      expect((await account.call(procedure)).status, procedure).to.equal(401);
    expect((await account.call('factors.beginAuthenticatorApp', {})).status).to.equal(401);
    await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    expect(await signedInEmailOf(account)).to.equal(user.email);
  });

  it('accepts codes of one step before and after, each once, and none of two steps', async () => {
    for (const steps of [-2, -1, 0, 1, 2]) {
      const { user, secret } = await addAppUser(service);
      const [first, again] = [await givePassword(service, user), await givePassword(service, user)];
      // To the start of a time step, so that it does not end during the test.
      service.clock.advance(stepMs - (service.clock.now() % stepMs));
      const shown = { code: codeOf(service, secret, steps) };
      const expected = Math.abs(steps) < 2 ? [200, undefined] : refused;
      expect(outcomeOf(await first.call('session.showFactor', shown)), `${steps}`).to.deep.equal(expected);
      expect(outcomeOf(await again.call('session.showFactor', shown)), `${steps}`).to.deep.equal(refused);
    }
  });

  it('refuses the code that the app was added with', async () => {
    const user = await service.addUser();
    const { code } = await addAuthenticatorApp(service, await signInAccount(service.url, user));
    const account = await givePassword(service, user);
    expect(outcomeOf(await account.call('session.showFactor', { code }))).to.deep.equal(refused);
  });

  it('accepts each recovery code once, in any case and spacing, and records in the activity how many are left', async () => {
    const { user, recoveryCodes } = await addAppUser(service);
    expect(recoveryCodes).to.have.length(10);
    const [code = ''] = recoveryCodes;
    expect(code).to.match(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
    const account = await givePassword(service, user);
    await account.api.session.showFactor.mutate({ code: ` ${code.toUpperCase().replaceAll('-', ' ')}` });
    const { factors, recovery_codes_left } = await account.api.factors.list.query();
    expect([factors.length, recovery_codes_left]).to.deep.equal([1, 9]);
    const { activity } = await account.api.activity.list.query({});
    expect(activity.map(({ operation, detail }) => [operation, detail])).to.deep.include([
      'session.showFactor',
      'A recovery code was used, 9 left',
    ]);
    const again = await givePassword(service, user);
    expect(outcomeOf(await again.call('session.showFactor', { code }))).to.deep.equal(refused);
  });

  it('accepts codes in the digits of every script, with the marks and blanks that come with copying', async () => {
    const zeros = {
      Arabic: '\u0660',
      Persian: '\u06f0',
      Devanagari: '\u0966',
      fullwidth: '\uff10',
      Adlam: '\u{1e950}',
    };
    const { user, secret, recoveryCodes } = await addAppUser(service);
    for (const [script, zero] of Object.entries(zeros)) {
      const digitOf = (digit: string) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit));
      const code = codeOf(service, secret).replace(/\d/g, digitOf);
      const account = await givePassword(service, user);
      const [first, last] = [code.slice(0, 3 * zero.length), code.slice(3 * zero.length)];
      const typed = `\u200e\u2067${first}\u00a0\u2013\u2060\u2800\u3164${last}\ufe0f\u034f\ufeff`;
      await account.call('session.showFactor', { code: typed });
      expect(await signedInEmailOf(account), script).to.equal(user.email);
      service.clock.advance(2 * stepMs);
    }
    const [code = ''] = recoveryCodes;
    const account = await givePassword(service, user);
    const typed = `\u202a${code.replaceAll('-', '\u2011').replaceAll('a', '\uff41')}\u202c`;
    await account.call('session.showFactor', { code: typed });
    expect(await signedInEmailOf(account)).to.equal(user.email);
  });

  it('waits for ten minutes, ends at sign-out and when the password changes, and is in no list of sessions', async () => {
    const { user, secret, account: other } = await addAppUser(service);
    const show = async (account: ReturnType<typeof openAccount>) =>
      outcomeOf(await account.call('session.showFactor', { code: codeOf(service, secret) }))[0];
    const [late, out, changed] = [
      await givePassword(service, user),
      await givePassword(service, user),
      await givePassword(service, user),
    ];
    expect((await other.api.sessions.list.query()).sessions).to.have.length(1);
    const copy = openAccount(service.url);
    for (const [name, value] of out.cookies) copy.cookies.set(name, value);
    await out.api.session.signOut.mutate();
    expect(await show(copy)).to.equal(401);
    await service.models.userAccess.change(user.email, { password: 'battery staple 9' }, new Date());
    expect(await show(changed)).to.equal(401);
    service.clock.advance(10 * minuteMs);
    expect(await show(late)).to.equal(401);
  });

  it('gives the browser a new token when it completes', async () => {
    const { user, secret } = await addAppUser(service);
    const account = await givePassword(service, user);
    const planted = openAccount(service.url);
    for (const [name, value] of account.cookies) planted.cookies.set(name, value);
    await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    expect([await signedInEmailOf(account), await signedInEmailOf(planted)]).to.deep.equal([
      user.email,
      null,
    ]);
  });

  it("ends none of the user's sessions if only the password is known", async () => {
    const { user, account } = await addAppUser(service);
    for (let times = 0; times < 101; times += 1) await givePassword(service, user);
    expect(await signedInEmailOf(account)).to.equal(user.email);
  });

  it('429: refuses even correct answers for 15 minutes after five wrong codes and recovery codes in total', async () => {
    const { user, secret, recoveryCodes } = await addAppUser(service);
    const account = await givePassword(service, user);
    const right = () => ({ code: codeOf(service, secret) });
    for (const code of ['000000', 'aaaa-bbbb-cccc-dddd', '1', 'wrong'])
      expect(outcomeOf(await account.call('session.showFactor', { code }))).to.deep.equal(refused);
    // A correct code in between does not reset the count.
    const other = await givePassword(service, user);
    await other.api.session.showFactor.mutate(right());
    expect((await account.call('session.showFactor', { code: '000001' })).status).to.equal(401);
    service.clock.advance(stepMs);
    for (const code of [right().code, recoveryCodes[0]]) {
      const answer = await account.call('session.showFactor', { code });
      expect(answer.status).to.equal(429);
      expect(Number(answer.headers.get('Retry-After'))).to.be.within(1, 900);
    }
    service.clock.advance(15 * minuteMs);
    const later = await givePassword(service, user);
    await later.api.session.showFactor.mutate(right());
    expect(await signedInEmailOf(later)).to.equal(user.email);
  });

  it('400: requires exactly one code or passkey, and a malformed answer does not count', async () => {
    const { user, secret } = await addAppUser(service);
    const account = await givePassword(service, user);
    const wrong = [400, 'code or passkey is required, but not both'];
    for (let times = 0; times < 6; times += 1)
      expect(outcomeOf(await account.call('session.showFactor', {}))).to.deep.equal(wrong);
    await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    expect(await signedInEmailOf(account)).to.equal(user.email);
  });

  it('401: does not count answers from a client that has not given the password', async () => {
    const { user, secret } = await addAppUser(service);
    const stranger = openAccount(service.url);
    for (let times = 0; times < 6; times += 1)
      expect((await stranger.call('session.showFactor', { code: '000000' })).status).to.equal(401);
    const account = await givePassword(service, user);
    await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    expect(await signedInEmailOf(account)).to.equal(user.email);
  });

  it('answers a wrong password as for a user without a second factor', async () => {
    const { user } = await addAppUser(service);
    const plain = await service.addUser();
    const [one, other] = await Promise.all(
      [user, plain].map(({ email }) =>
        openAccount(service.url).call('session.signIn', { email, password: 'wrong' }),
      ),
    );
    for (const answer of [one, other]) if (answer) answer.body.error.data.requestId = '';
    expect(one?.body).to.deep.equal(other?.body);
  });

  it('accepts an app code or a recovery code once, even if two processes receive it at the same time', async () => {
    const { user, secret, recoveryCodes } = await addAppUser(service);
    const { databaseUri } = service;
    const second = await startTestService({ databaseUri, isShared: true });
    second.clock.advance(service.clock.now() - second.clock.now());
    const codes = [codeOf(service, secret), recoveryCodes[0]];
    for (const code of codes) {
      const browsers = [];
      for (const { url } of [service, second, service, second])
        browsers.push(await givePassword({ ...service, url }, user));
      const answers = await Promise.all(browsers.map(({ call }) => call('session.showFactor', { code })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 401, 401, 401]);
      service.clock.advance(15 * minuteMs);
      second.clock.advance(15 * minuteMs);
    }
    await second.leave();
  });
});

describe('the second factors of a user', () => {
  const service = useService({ rateLimitPerMinute: 1_000_000 });

  it('are listed by name without their secrets, which are not stored readable', async () => {
    const { account, user, secret, recoveryCodes } = await addAppUser(service);
    const list = await account.api.factors.list.query();
    expect(list.factors.map(({ kind, name }) => [kind, name])).to.deep.equal([['app', 'Phone']]);
    const stored = await storedText(service);
    for (const text of [secret, ...recoveryCodes]) {
      expect(stored).not.to.include(text);
      expect(JSON.stringify(list)).not.to.include(text);
      expect(service.logLines.join()).not.to.include(text);
    }
    expect(stored).to.include(user.email);
  });

  it('need one shown in the last ten minutes before any is added, named or removed, or the recovery codes or password change', async () => {
    const { account, secret } = await addAppUser(service);
    const { token, secret: next } = await account.api.factors.beginAuthenticatorApp.mutate();
    const [{ id = '' } = {}] = (await account.api.factors.list.query()).factors;
    service.clock.advance(10 * minuteMs);
    const calls: [procedure: string, body: object][] = [
      ['factors.beginAuthenticatorApp', {}],
      ['factors.addAuthenticatorApp', { name: 'Tablet', token, code: codeOf(service, next) }],
      ['factors.beginPasskey', {}],
      ['factors.rename', { id, name: 'Old phone' }],
      ['factors.rename', { id: 'none', name: 'Old phone' }],
      ['factors.remove', { id }],
      ['factors.replaceRecoveryCodes', {}],
      ['session.changePassword', { current_password: 'correct horse', new_password: 'battery staple 9' }],
    ];
    for (const [procedure, body] of calls) {
      const answer = await account.call(procedure, body);
      expect(outcomeOf(answer), procedure).to.deep.equal(notShown);
      expect(answer.body.error.data.code).to.equal('strong_session_required');
    }
    const wrong = await account.call('session.showFactor', { code: '000000' });
    expect(outcomeOf(wrong)).to.deep.equal([400, 'code is wrong, or was used before']);
    await account.api.session.showFactor.mutate({ code: codeOf(service, secret) });
    expect((await account.call('factors.rename', { id: 'none', name: 'Old phone' })).status).to.equal(404);
    await account.api.factors.rename.mutate({ id, name: 'Old phone' });
    await account.api.session.changePassword.mutate({
      current_password: 'correct horse',
      new_password: 'battery staple 9',
    });
    await account.api.factors.remove.mutate({ id });
    expect((await account.api.factors.list.query()).factors).to.deep.equal([]);
  });

  it('404: are out of reach for other users', async () => {
    const [one, other] = [await addAppUser(service), await addAppUser(service)];
    const [{ id = '' } = {}] = (await other.account.api.factors.list.query()).factors;
    for (const [procedure, body] of [
      ['factors.rename', { id, name: 'Mine' }],
      ['factors.remove', { id }],
    ] as const)
      expect((await one.account.call(procedure, body)).status).to.equal(404);
  });

  it('are no longer required once the last one is removed, and its recovery codes end with it', async () => {
    const { user, account } = await addAppUser(service);
    await account.api.factors.remove.mutate({
      id: (await account.api.factors.list.query()).factors[0]?.id ?? '',
    });
    expect(await signedInEmailOf(await givePassword(service, user))).to.equal(user.email);
    expect((await account.call('factors.replaceRecoveryCodes', {})).status).to.equal(400);
  });

  it('are up to ten authenticator apps, any of which signs in; recovery codes come with the first and can be replaced', async () => {
    const user = await service.addUser();
    const account = await signInAccount(service.url, user);
    const { token, secret } = await account.api.factors.beginAuthenticatorApp.mutate();
    const apps = [];
    for (let number = 1; number <= 10; number += 1)
      apps.push(await addAuthenticatorApp(service, account, `Phone ${number}`));
    expect(apps.map(({ recoveryCodes }) => recoveryCodes.length)).to.deep.equal([10, ...Array(9).fill(0)]);
    const tooMany = [400, 'You have 10 second factors of this kind, the maximum; remove one first'];
    expect(outcomeOf(await account.call('factors.beginAuthenticatorApp', {}))).to.deep.equal(tooMany);
    const eleventh = { name: 'Phone 11', token, code: codeOf(service, secret) };
    expect(outcomeOf(await account.call('factors.addAuthenticatorApp', eleventh))).to.deep.equal(tooMany);
    service.clock.advance(2 * stepMs);
    const browser = await givePassword(service, user);
    await browser.api.session.showFactor.mutate({ code: codeOf(service, apps[9]?.secret ?? '') });
    const { recovery_codes } = await account.api.factors.replaceRecoveryCodes.mutate();
    expect(recovery_codes).to.have.length(10);
    for (const [code, status] of [
      [apps[0]?.recoveryCodes[0], 401],
      [recovery_codes[0], 200],
    ]) {
      const next = await givePassword(service, user);
      expect((await next.call('session.showFactor', { code })).status).to.equal(status);
    }
  });

  it('400: are not added with a wrong code, another user’s secret, or half an hour late', async () => {
    const [account, other] = [
      await signInAccount(service.url, await service.addUser()),
      await signInAccount(service.url, await service.addUser()),
    ];
    const { token, secret, uri } = await account.api.factors.beginAuthenticatorApp.mutate();
    expect(uri).to.match(/^otpauth:\/\/totp\/.+secret=[A-Z2-7]{32}&algorithm=SHA1&digits=6&period=30$/);
    const add = (by: typeof account, code: string) =>
      by.call('factors.addAuthenticatorApp', { name: 'Phone', token, code });
    expect((await add(account, '000000')).status).to.equal(400);
    expect((await add(other, codeOf(service, secret))).status).to.equal(400);
    service.clock.advance(30 * minuteMs);
    expect((await add(account, codeOf(service, secret))).status).to.equal(400);
    expect((await account.api.factors.list.query()).factors).to.deep.equal([]);
  });

  it('are labeled in the app with one colon between the host and the address', async () => {
    const config = { brand: { ...readConfig({}).brand, name: 'Games: EU' } };
    const host = await startTestService({ config });
    const account = await signInAccount(host.url, await host.addUser({ email: 'colon@example.com' }));
    const { uri } = await account.api.factors.beginAuthenticatorApp.mutate();
    expect(decodeURIComponent(new URL(uri).pathname)).to.match(/^[^:]+:colon@example\.com$/);
    expect(new URL(uri).searchParams.get('issuer')).to.equal('Games EU');
    await host.stop();
  });

  it('403: cannot both be the first when two sessions add one at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const user = await service.addUser();
      const additions = [];
      for (const account of [
        await signInAccount(service.url, user),
        await signInAccount(service.url, user),
      ]) {
        const { token, secret } = await account.api.factors.beginAuthenticatorApp.mutate();
        const body = { name: 'Phone', token, code: codeOf(service, secret) };
        additions.push(() => account.call('factors.addAuthenticatorApp', body));
      }
      const answers = await Promise.all(additions.map((add) => add()));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 403]);
      expect((await service.models.secondFactors.find(user._id))?.factors).to.have.length(1);
    }
  });

  it('are gone if support removes all of them, or the user, while one is being added', async () => {
    const { userAccess, transaction } = service.models;
    const endings: ((id: number, now: Date) => Promise<unknown>)[] = [
      (id, now) => userAccess.resetFactors(id, now),
      (id, now) => transaction((session) => userAccess.delete(id, now, session)),
    ];
    for (const end of endings) {
      const user = await service.addUser();
      const account = await signInAccount(service.url, user);
      const { token, secret } = await account.api.factors.beginAuthenticatorApp.mutate();
      const body = { name: 'Phone', token, code: codeOf(service, secret) };
      await Promise.all([account.call('factors.addAuthenticatorApp', body), end(user._id, new Date())]);
      expect(await service.models.secondFactors.find(user._id)).to.equal(null);
    }
  });

  it('are added once if the response was lost, and then with new recovery codes', async () => {
    const account = await signInAccount(service.url, await service.addUser());
    const { token, secret } = await account.api.factors.beginAuthenticatorApp.mutate();
    const body = { name: 'Phone', token, code: codeOf(service, secret) };
    const headers = { 'Idempotency-Key': 'press' };
    const [lost, seen] = [
      await account.call('factors.addAuthenticatorApp', body, headers),
      await account.call('factors.addAuthenticatorApp', body, headers),
    ];
    expect(seen.body.result.data.recovery_codes)
      .to.have.length(10)
      .and.not.deep.equal(lost.body.result.data.recovery_codes);
    expect((await account.api.factors.list.query()).factors).to.have.length(1);
    service.clock.advance(2 * stepMs);
    const code = codeOf(service, secret);
    await account.api.session.showFactor.mutate({ code });
    await account.call('factors.addAuthenticatorApp', { ...body, code: codeOf(service, secret, 1) });
    expect((await account.call('session.showFactor', { code })).status, 'a code used before').to.equal(400);
  });

  it('400: are off without SECRETS_KEY, and their list says so', async () => {
    const without = await startTestService({ config: { hasWebhooks: false } });
    const account = await signInAccount(without.url, await without.addUser());
    expect((await account.api.factors.list.query()).is_on).to.equal(false);
    expect(outcomeOf(await account.call('factors.beginAuthenticatorApp', {}))).to.deep.equal([
      400,
      'Second factors are off: the host has not set SECRETS_KEY',
    ]);
    await without.stop();
  });
});
