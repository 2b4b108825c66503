/** Every form of the account page: how it is opened, filled and submitted. A new form is to be added here. */
import { dialogOf, enter, openSection, type Scene } from './account-page.ts';
import { adminForms } from './admin-forms.ts';
import { deskForms } from './desk-forms.ts';
import { mailForms } from './mail-forms.ts';
import { putWebhook } from './sample-webhooks.ts';
import { serverForms } from './server-forms.ts';

export interface TestedForm {
  /** Of its component, in server/account/page/. */
  file: string;
  open(): Promise<void>;
  submit(): Promise<void>;
  /** What the form says when it is submitted as it opens, the first of it. */
  missing?: string;
  fill?(): Promise<void>;
  /** The procedure it calls. */
  calls: string;
}

export function accountForms(at: Scene) {
  const button = (name: string) => at.page.getByRole('button', { name, exact: true });
  const inDialog = (name: string) => dialogOf(at.page).getByRole('button', { name, exact: true });

  const issueKey = (name: string) =>
    at.service.models.apiKeys.issue(
      { userId: at.user._id, name, scopes: ['read:catalog'], expiresAt: null },
      new Date(),
    );

  const openTicket = () =>
    at.service.models.tickets.open({
      ...{ userId: at.user._id, keyId: '', subject: 'Lag since noon', text: 'It lags.', now: new Date() },
      ...{ serviceName: null, serviceReference: null, serviceType: null },
    });

  async function enterSection(name: string): Promise<void> {
    await enter(at);
    await openSection(at.page, name);
  }

  async function openMenu(item: string): Promise<void> {
    await enter(at);
    await button('Your account').click();
    await button(item).click();
  }

  async function openKeyDialog(action: string): Promise<void> {
    await issueKey('Laptop');
    await enter(at);
    await button(`${action} Laptop`).click();
  }

  async function openWebhooks(): Promise<void> {
    const { _id: userId } = at.user;
    await putWebhook(at.service, { _id: 'whk_form', userId, audience: 'customer', deliveryId: 'dlv_form' });
    await enterSection('Webhooks');
  }

  const ofWebhook = (action: string) => at.page.getByRole('button', { name: new RegExp(`^${action} `) });

  async function openWebhookDialog(action: string): Promise<void> {
    await openWebhooks();
    await ofWebhook(action).click();
  }

  const forms: TestedForm[] = [
    {
      file: 'webhooks/webhook-dialogs.tsx',
      async open() {
        await enterSection('Webhooks');
        await button('Create webhook').click();
      },
      submit: () => inDialog('Create webhook').click(),
      missing: 'Enter an address, such as https://status.example.com/hooks.',
      async fill() {
        await dialogOf(at.page).getByLabel('Address').fill('https://example.com/hooks');
        await dialogOf(at.page).getByRole('checkbox', { name: 'A ticket was opened.' }).check();
      },
      calls: 'webhooks.create',
    },
    {
      file: 'webhooks/webhook-dialogs.tsx',
      open: () => openWebhookDialog('Edit'),
      submit: () => inDialog('Save').click(),
      calls: 'webhooks.change',
    },
    {
      file: 'webhooks/webhook-item.tsx',
      open: () => openWebhookDialog('Rotate secret'),
      submit: () => inDialog('Rotate secret').click(),
      calls: 'webhooks.rotateSecret',
    },
    {
      file: 'webhooks/webhook-item.tsx',
      open: () => openWebhookDialog('Delete'),
      submit: () => inDialog('Delete webhook').click(),
      calls: 'webhooks.delete',
    },
    {
      file: 'webhooks/webhook-item.tsx',
      open: openWebhooks,
      submit: () => ofWebhook('Send a test').click(),
      calls: 'webhooks.test',
    },
    {
      file: 'webhooks/deliveries.tsx',
      open: openWebhooks,
      submit: () => at.page.getByText('Deliveries').click(),
      calls: 'webhooks.listDeliveries',
    },
    {
      file: 'sign-in.tsx',
      open: async () => {},
      submit: () => button('Sign in').click(),
      missing: 'Enter your e-mail address.',
      async fill() {
        await at.page.getByLabel('E-mail').fill(at.user.email);
        await at.page.getByLabel('Password').fill('correct horse');
      },
      calls: 'session.signIn',
    },
    {
      file: 'sign-in.tsx',
      async open() {
        const { token } = await at.service.models.signInLinks.create(at.user._id, new Date());
        await at.page.goto(`/account/link#${token}`);
      },
      submit: () => button('Continue').click(),
      calls: 'session.signInByLink',
    },
    {
      file: 'keys/create-key-dialog.tsx',
      async open() {
        await enter(at);
        await button('Create key').click();
        await dialogOf(at.page).getByLabel('Name').fill('Laptop');
      },
      submit: () => inDialog('Create key').click(),
      missing: 'Choose at least one scope.',
      fill: () => dialogOf(at.page).getByRole('checkbox', { name: 'read:catalog' }).check(),
      calls: 'keys.create',
    },
    {
      file: 'keys/key-dialogs.tsx',
      open: () => openKeyDialog('Rotate'),
      submit: () => inDialog('Rotate key').click(),
      calls: 'keys.rotate',
    },
    {
      file: 'keys/keys-view.tsx',
      open: () => openKeyDialog('Revoke'),
      submit: () => inDialog('Revoke key').click(),
      calls: 'keys.revoke',
    },
    {
      file: 'password.tsx',
      open: () => openMenu('Change password'),
      submit: () => inDialog('Change password').click(),
      missing: 'Enter your current password.',
      async fill() {
        for (const label of ['Current password', 'New password', 'New password again'])
          await dialogOf(at.page).getByLabel(label, { exact: true }).fill('correct horse');
      },
      calls: 'session.changePassword',
    },
    {
      file: 'sessions-dialog.tsx',
      async open() {
        await at.service.models.sessions.open({ user: at.user }, new Date());
        await openMenu('Sessions');
      },
      submit: () => inDialog('Sign out all others').click(),
      calls: 'sessions.endOthers',
    },
    {
      file: 'tickets/open-ticket-dialog.tsx',
      async open() {
        await enterSection('Tickets');
        await button('Open a ticket').click();
      },
      submit: () => inDialog('Open ticket').click(),
      missing: 'Give the ticket a subject.',
      async fill() {
        await dialogOf(at.page).getByLabel('Subject').fill('Lag');
        await dialogOf(at.page).getByLabel('Message').fill('Players time out.');
      },
      calls: 'tickets.create',
    },
    {
      file: 'tickets/reply-form.tsx',
      async open() {
        await openTicket();
        await enterSection('Tickets');
        await at.page.getByRole('link', { name: 'Lag since noon' }).click();
      },
      submit: () => button('Send reply').click(),
      missing: 'Write a message.',
      fill: () => at.page.getByLabel('Your reply').fill('It still lags.'),
      calls: 'tickets.reply',
    },
    {
      file: 'tickets/conversation.tsx',
      async open() {
        await openTicket();
        await enterSection('Tickets');
        await at.page.getByRole('link', { name: 'Lag since noon' }).click();
      },
      submit: () => button('Close ticket').click(),
      calls: 'tickets.close',
    },
    ...serverForms(at),
    ...deskForms(at, openTicket),
    ...adminForms(at),
    ...mailForms(at),
  ];
  return { forms, button, inDialog, issueKey };
}
