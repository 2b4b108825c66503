/** What a user is told of the account itself, whatever the event says more. */
export const security = { kind: null, limit: 'of_type' as const };

export const accountButton = { label: 'Open your account', path: '/account' };

const notYou = 'If that was not you, change your password and tell support.';

export const passwordChanged = {
  ...security,
  subject: 'Your password was changed',
  paragraphs: ['The password of your account was changed, and all other sessions have ended.', notYou],
  button: accountButton,
};

export const formerAddress = {
  ...security,
  subject: 'The e-mail address of your account was changed',
  paragraphs: [
    'Your account has another e-mail address now: mail about it does not come here any more.',
    'If you did not ask for that, tell support.',
  ],
  button: accountButton,
};

export const newAddress = {
  ...security,
  subject: 'This is the e-mail address of your account now',
  paragraphs: ['Mail about your account comes to this address from now on.', notYou],
  button: accountButton,
};

export const userDeleted = {
  ...security,
  subject: 'Your account was deleted',
  paragraphs: [
    'The account with this e-mail address was deleted: its API keys, sessions and connected apps have ended.',
    'If you did not ask for that, tell support.',
  ],
  button: accountButton,
};

export const panelUserRemoved = {
  ...security,
  subject: 'The servers of your account were taken from it',
  paragraphs: [
    'Your account does not have its user at the control panel any more, and with it not the servers of that user.',
    'If you did not ask for that, tell support.',
  ],
  button: accountButton,
};
