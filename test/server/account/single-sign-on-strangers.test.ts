/** Single sign-on under attack by strangers: they cause no calls to the identity provider, and others can still sign in. */
import { queryObjects } from 'node:v8';
import { expect } from 'chai';
import { openAccount } from '../../support/account.ts';
import { eventually } from '../../support/eventually.ts';
import { answerNotValid, startSingleSignOn, statusAndMessageOf } from '../../support/single-sign-on.ts';
import { useStarted } from '../../support/use-started.ts';

const expired = [
  401,
  'The sign-in took too long or was started in another tab or browser; try again',
] as const;

describe('a stranger at single sign-on', () => {
  const signOn = useStarted(() => startSingleSignOn());

  const begin = async (address: string) => {
    const account = openAccount(signOn.service.url);
    const answer = await account.call('session.startSingleSignOn', {}, { 'X-Forwarded-For': address });
    return { account, answer, url: answer.body.result?.data.url as string };
  };
  type Begun = Awaited<ReturnType<typeof begin>>;
  /** Returns with a code that the provider never issued. */
  const finish = ({ account, url }: Begun) => {
    const state = new URL(url).searchParams.get('state');
    const iss = encodeURIComponent(signOn.provider.issuer);
    return account.call('session.finishSingleSignOn', { query: `?code=made-up&state=${state}&iss=${iss}` });
  };

  beforeEach(() => {
    signOn.provider.at.exchanges = 0;
  });

  it('401: causes no request to the provider with a cookie that the service did not create', async () => {
    const { account } = await begin('192.0.2.1');
    for (const flow of ['state.nonce.verifier', `${Date.now() + 60_000}.state`, 'state']) {
      account.cookies.set('gamehost_sso_state', flow);
      const query = '?code=made-up&state=state';
      expect(await statusAndMessageOf(account.call('session.finishSingleSignOn', { query }))).to.deep.equal(
        expired,
      );
    }
    expect(signOn.provider.at.exchanges).to.equal(0);
  });

  it('401: causes one call per cookie, however often it is sent, and none after ten minutes', async () => {
    const begun = await begin('192.0.2.2');
    const cookies = new Map(begun.account.cookies);
    const refusals: unknown[] = [];
    for (let time = 0; time < 3; time += 1) {
      for (const [name, value] of cookies) begun.account.cookies.set(name, value);
      refusals.push(await statusAndMessageOf(finish(begun)));
    }
    expect(refusals).to.deep.equal([answerNotValid, expired, expired]);
    const late = await begin('192.0.2.2');
    signOn.service.clock.advance(10 * 60_000);
    expect(await statusAndMessageOf(finish(late))).to.deep.equal(expired);
    expect(signOn.provider.at.exchanges).to.equal(1);
  });

  it('fills no memory with invented cookie names', async () => {
    const makeUp = async (round: number) => {
      const account = openAccount(signOn.service.url);
      for (let each = 0; each < 30; each += 1) account.cookies.set(`gamehost_sso_${round}_${each}`, '1');
      const address = { 'X-Forwarded-For': '192.0.2.6' };
      const { headers } = await account.call('session.startSingleSignOn', {}, address);
      await account.call('session.finishSingleSignOn', { query: `?code=made-up&state=${round}_state` });
      return headers.getSetCookie().length;
    };
    await makeUp(0);
    const before = Number(queryObjects(RegExp));
    for (let round = 1; round <= 10; round += 1) expect(await makeUp(round)).to.equal(17);
    expect(Number(queryObjects(RegExp))).to.be.below(before + 10);
  });

  it('429: can begin thirty sign-ins a minute from one address, and others continue', async () => {
    for (let count = 0; count < 30; count += 1)
      expect((await begin('192.0.2.3')).answer.status).to.equal(200);
    const { answer } = await begin('192.0.2.3');
    expect([answer.status, answer.body.error.data.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(answer.headers.get('Retry-After'))).to.be.within(1, 61);
    expect((await begin('192.0.2.4')).answer.status).to.equal(200);
  });

  it('lets others start while 120 strangers wait for a slow provider', async () => {
    const strangers = await Promise.all(
      Array.from({ length: 120 }, (_, each) => begin(`198.51.100.${each}`)),
    );
    let release = () => {};
    signOn.provider.at.held = new Promise((resolve) => {
      release = resolve;
    });
    let refused = 0;
    const waiting = strangers.map(async (stranger) => {
      const { status } = await finish(stranger);
      if (status === 503) refused += 1;
    });
    await eventually(async () => expect(refused).to.equal(20));
    expect((await begin('192.0.2.5')).answer.status).to.equal(200);
    release();
    await Promise.all(waiting);
  });
});
