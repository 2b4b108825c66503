/** Notices by mail, each caused by a call and received by a real SMTP server. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { signInAccount } from '../../support/account.ts';
import { createCli } from '../../support/cli.ts';
import { useDirectory } from '../../support/directory.ts';
import { supportEmail, useMailService } from '../../support/mail-service.ts';
import { connectApp } from '../../support/oauth-app.ts';
import { createWebhookCalls } from '../../support/webhook-calls.ts';

const dayMs = 86_400_000;

describe('a notice by mail', () => {
  const service = useMailService({ hasApps: true });
  const calls = createWebhookCalls(service);
  const directory = useDirectory();
  const cli = createCli(() => ({
    MONGODB_URI: service.databaseUri,
    SECRETS_KEY: Buffer.alloc(32, 'webhooks').toString('base64'),
  }));
  let staff: string;
  before(async () => {
    staff = (await service.addKey({ user: await service.addUser({ isAdmin: true, nickname: 'Robin' }) }))
      .secret;
  });

  /** The subjects of an address's mails, once one with this subject has arrived. */
  async function subjectsUntil(recipient: string, last: string): Promise<string[]> {
    const find = () =>
      service.smtp.received.filter(({ to }) => to === recipient).map(({ subject }) => subject);
    for (let count = 1; !find().includes(last); count += 1) await service.smtp.waitFor(recipient, count);
    return find();
  }

  const mailOf = async (recipient: string, subject: string) => {
    await subjectsUntil(recipient, subject);
    const mail = service.smtp.received.find((each) => each.to === recipient && each.subject === subject);
    if (!mail) throw new Error('the mail has not arrived');
    return mail;
  };

  const asStaff = (method: string, path: string, body: object) =>
    service.call(method, `/admin${path}`, { key: staff, body });

  async function openTicket(subject: string, message = 'Players time out.') {
    const { user, secret: key } = await service.addKey();
    const { body } = await service.call('POST', '/tickets', { key, body: { title: subject, message } });
    return { user, key, id: body.ticket.id as number };
  }

  it('informs the customer that support answered, with 500 characters of it, a link and a way to turn notices off', async () => {
    const { user, key, id } = await openTicket('Lag');
    await service.call('POST', `/tickets/${id}/reply`, { key, body: { message: 'Still.' } });
    const answer = `We look into it. ${'x'.repeat(600)}`;
    expect((await asStaff('POST', `/tickets/${id}/reply`, { message: answer })).status).to.equal(201);
    const mail = await mailOf(user.email, `Support answered your ticket #${id}: Lag`);
    expect(mail.text).to.include(`Robin answered your ticket #${id}: Lag`);
    expect(mail.text)
      .to.include(`> ${answer.slice(0, 500)}…`)
      .and.not.include(answer.slice(0, 501));
    expect(mail.text).to.include(`${service.url}/account#tickets/${id}`);
    expect(mail.headers.get('list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
    expect(await subjectsUntil(user.email, mail.subject)).to.have.lengthOf(1);
  });

  it('informs support of a ticket, with who opened it and its first message, and of each reply by the customer', async () => {
    const { user, key, id } = await openTicket('Lag & more', `Since noon. ${'y'.repeat(600)}`);
    const opened = await mailOf(supportEmail, `Ticket #${id}: Lag & more`);
    expect(opened.text).to.include(`${user.email} opened ticket #${id}`).and.include('> Since noon. yyy');
    expect(opened.text).to.include(`${service.url}/account#support/${id}`).and.not.include('y'.repeat(500));
    expect(opened.headers.has('list-unsubscribe')).to.equal(false);
    await asStaff('POST', `/tickets/${id}/reply`, { message: 'By staff.' });
    await service.call('POST', `/tickets/${id}/reply`, { key, body: { message: 'By me.' } });
    const replied = await mailOf(supportEmail, `Reply to ticket #${id}: Lag & more`);
    expect(replied.text).to.include('> By me.').and.not.include('By staff.');
  });

  it('joins the thread of its ticket, and says who reads a reply', async () => {
    const { user, key, id } = await openTicket('Threads');
    await asStaff('POST', `/tickets/${id}/reply`, { message: 'One.' });
    await service.call('POST', `/tickets/${id}/reply`, { key, body: { message: 'Two.' } });
    await asStaff('POST', `/tickets/${id}/status`, { status: 'Closed' });
    const mails = await service.smtp.waitFor(user.email, 2);
    const toSupport = [
      await mailOf(supportEmail, `Ticket #${id}: Threads`),
      await mailOf(supportEmail, `Reply to ticket #${id}: Threads`),
    ];
    for (const { headers } of [...mails, ...toSupport])
      for (const name of ['in-reply-to', 'references'])
        expect(headers.get(name)).to.equal(`<ticket-${id}@host.example>`);
    for (const { headers, text } of mails) {
      expect(headers.get('reply-to')).to.equal(supportEmail);
      expect(text).not.to.include('Replies to this mail');
    }
    for (const { headers, text } of toSupport) {
      expect(headers.has('reply-to')).to.equal(false);
      expect(text).to.include('Replies to this mail are not read.');
    }
  });

  it('informs the customer once when support closes a ticket, and not when the customer does', async () => {
    const { user, key, id } = await openTicket('Lag');
    await service.call('POST', `/tickets/${id}/close`, { key });
    await service.call('POST', `/tickets/${id}/reopen`, { key });
    await asStaff('POST', `/tickets/${id}/status`, { status: 'Closed' });
    expect(await subjectsUntil(user.email, `Support closed your ticket #${id}: Lag`)).to.have.lengthOf(1);
    const other = await openTicket('Other');
    await asStaff('POST', `/tickets/${other.id}/reply`, { message: 'Done.', close: true });
    const both = `Support answered and closed your ticket #${other.id}: Other`;
    expect(await subjectsUntil(other.user.email, both)).to.have.lengthOf(1);
  });

  it('reports a new, rotated, soon expiring or leaked key without repeating a secret', async () => {
    const user = await service.addUser();
    const { api } = await signInAccount(service.url, user);
    const expires_at = new Date(service.clock.now() + 8 * dayMs).toISOString();
    const create = (name: string, at: string | null) =>
      api.keys.create.mutate({
        name,
        scopes: ['read:account'],
        servers: null,
        addresses: null,
        expires_at: at,
      });
    const { secret, key } = await create('laptop', null);
    await create('ci', expires_at);
    await create('short', new Date(service.clock.now() + dayMs).toISOString());
    await api.keys.rotate.mutate({ id: key.id, overlap_hours: 24 });
    service.clock.advance(2 * dayMs);
    const body = { credentials: [secret] };
    expect((await service.call('POST', '/credentials/revoke', { body })).status).to.equal(202);
    for (const subject of [
      ...['A new API key for your account: laptop', 'A new API key for your account: ci'],
      ...[
        'Your API key expires soon: ci',
        'Your API key expires soon: short',
        'Revoked after a leak: laptop',
      ],
    ])
      await mailOf(user.email, subject);
    for (const { to, raw } of service.smtp.received)
      if (to === user.email) expect(raw).not.to.include(secret.slice(20));
  });

  it('reports a webhook that was turned off, with the reason and only the host of its address', async () => {
    const { user, secret: key } = await service.addKey();
    const { webhook } = await calls.createWebhook(key, 'https://127.0.0.1:9/hidden', { description: null });
    await service.models.webhooks.disable(webhook.id, 'Turned off by the host');
    const mail = await mailOf(user.email, 'A webhook was turned off: 127.0.0.1:9');
    expect(mail.text).to.include('was turned off: Turned off by the host.').and.not.include('hidden');
  });

  it('reports an app that was connected', async () => {
    const user = await service.addUser();
    await connectApp(service, { email: user.email });
    const mail = await service.smtp.waitFor(user.email, 1);
    expect(mail[0]?.subject).to.match(/^An app was connected to your account: /);
    expect(mail[0]?.text).to.include('read:account');
  });

  it('reports a new password', async () => {
    const user = await service.addUser();
    const { api } = await signInAccount(service.url, user);
    const change = { current_password: 'correct horse', new_password: 'a river of ten green stones' };
    await api.session.changePassword.mutate(change);
    const mail = await mailOf(user.email, 'Your password was changed');
    expect(mail.raw).not.to.include('green stones');
    // Whose password someone else changed cannot change it: they no longer know it.
    expect(mail.text)
      .to.include('get a link to sign in by e-mail or from your host')
      .and.not.include('change your password');
    expect(mail.headers.has('list-unsubscribe')).to.equal(false);
  });

  it('informs both the old and the new address of a change of address', async () => {
    const put = (email: string) => asStaff('PUT', '/users/customer-7', { email });
    expect((await put('old7@example.com')).status).to.equal(201);
    expect((await put('new7@example.com')).status).to.equal(200);
    const old = await mailOf('old7@example.com', 'The e-mail address of your account was changed');
    expect(old.raw).not.to.include('new7@example.com');
    await mailOf('new7@example.com', 'This is now the e-mail address of your account');
  });

  it('informs the users whose addresses an import swaps', async () => {
    for (const [id, email] of [
      ['customer-8', 'a8@example.com'],
      ['customer-9', 'b9@example.com'],
    ] as const)
      await asStaff('PUT', `/users/${id}`, { email });
    const lines = [
      { external_id: 'customer-8', email: 'b9@example.com' },
      { external_id: 'customer-9', email: 'a8@example.com' },
    ];
    const path = join(directory.path, 'users.ndjson');
    await writeFile(path, lines.map((line) => JSON.stringify(line)).join('\n'));
    await cli.text(`user import ${path}`);
    for (const email of ['a8@example.com', 'b9@example.com']) {
      await mailOf(email, 'The e-mail address of your account was changed');
      await mailOf(email, 'This is now the e-mail address of your account');
    }
  });

  it('leaves out keys that appear in a ticket', async () => {
    const secret = (await service.addKey()).secret;
    const { user, id } = await openTicket('Lag', `Why is ${secret} refused?`);
    await asStaff('POST', `/tickets/${id}/reply`, { message: `Because ${secret} has leaked.` });
    await mailOf(user.email, `Support answered your ticket #${id}: Lag`);
    await mailOf(supportEmail, `Ticket #${id}: Lag`);
    for (const { raw, text } of service.smtp.received) expect(raw + text).not.to.include(secret.slice(20));
  });
});
