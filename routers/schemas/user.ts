/** Users as administrators see and provision them. */
import { z } from 'zod';
import type { ProvisionedUser } from '../../models/provisioning/store.ts';
import type { UserRecord } from '../../models/user.ts';
import { boundedUrl, dateTime, describedLike, integer } from './common.ts';
import { exampleMe, Me } from './me.ts';
import { createPick } from './pick.ts';
import { filledExactText, lineOrNull } from './text.ts';

const externalIdRule = 'must consist of A-Z a-z 0-9 . _ : @ -';

/** A user's id in the host's own system, in the form that new users must have. */
export const ExternalId = z
  .string()
  .min(1)
  .max(191)
  .regex(/^[A-Za-z0-9._:@-]*$/, { error: externalIdRule })
  .describe("The user's id in your own system: 1 to 191 of A-Z a-z 0-9 . _ : @ -");

const ownIdPattern = /^~([1-9]\d{0,14})$/;

/** Reads our own id from a name such as ~42; null if the name is an external id. */
export function parseOwnId(name: string): number | null {
  const [, id] = ownIdPattern.exec(name) ?? [];
  return id === undefined ? null : Number(id);
}

const userIdDescription =
  "The user's id in your own system. For a user without one, ~ and the id here, such as ~42.";

/** Writes the domain in ASCII, as mail servers do. Anything that is not a domain stays unchanged. */
function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  // URL also accepts hosts that are not domains, so it converts only domains with letters beyond ASCII.
  if (at < 1 || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) || /^[\x21-\x7e]*$/.test(domain)) return address;
  return URL.canParse(`http://${domain}`)
    ? `${address.slice(0, at)}@${new URL(`http://${domain}`).hostname}`
    : address;
}

/**
 * Accepts the blanks that people and the forms of other systems leave around an address. An address must be ASCII, which is
 * checked before lowercasing, because other letters can become ASCII: U+212A becomes k.
 */
export const Email = z
  .string()
  .trim()
  .overwrite(withAsciiDomain)
  .check(z.email({ error: 'must be an e-mail address, such as ada@example.com' }))
  .max(254)
  .toLowerCase();

export const AdminUser = Me.extend({
  external_id: z
    .string()
    .nullable()
    .describe("The id in the host's own system; null for users created here."),
  active: z.boolean().describe('False while suspended: keys and sessions are refused.'),
  panel_user_id: z
    .int()
    .nullable()
    .describe("The user's id in the provisioning panel; null if none is known."),
  has_second_factor: z.boolean().describe('Whether a sign-in with a password requires a second factor.'),
  created_at: dateTime.describe('When the user was created here.'),
  updated_at: dateTime.describe('When the profile or `active` last changed.'),
}).meta({
  title: 'AdminUser',
  description: 'A user with the fields that only administrators see.',
  examples: [
    {
      ...exampleMe,
      external_id: 'customer-1042',
      active: true,
      panel_user_id: 7,
      has_second_factor: false,
      created_at: '2026-11-21T09:30:00.000Z',
      updated_at: '2026-11-21T09:30:00.000Z',
    },
  ],
});

export const OptionalName = lineOrNull(200);

const optionalName = OptionalName.optional();

const chatAvatarUrl = z
  .preprocess(
    (value) => (value === '' ? null : value),
    boundedUrl({ protocol: /^https?$/, error: 'must be an http or https URL' }).nullable(),
  )
  .optional();

export const UserPutRequest = z
  .strictObject(
    describedLike(AdminUser, {
      external_id: z
        .string()
        .min(1)
        .max(191)
        .regex(/^(?:[A-Za-z0-9._:@-]*|~[1-9]\d{0,14})$/, { error: externalIdRule })
        .describe(userIdDescription),
      email: Email.optional().describe('Unique, ignoring case. Required for a new user.'),
      first_name: optionalName,
      last_name: optionalName,
      nickname: optionalName.describe('The display name. An empty name is the same as null.'),
      chat_id: optionalName,
      chat_username: optionalName,
      chat_avatar_url: chatAvatarUrl,
      panel_user_id: integer(1)
        .nullable()
        .optional()
        .describe(
          "The user's id in the provisioning panel, unique to the user. Without one, it is looked up there by external_id, then by e-mail.",
        ),
      active: z.boolean().optional().describe('False suspends the user, true lifts the suspension.'),
    }),
  )
  .meta({
    title: 'UserPutRequest',
    examples: [
      { external_id: 'customer-1042', email: 'dana@example.com', first_name: 'Dana', last_name: 'Miller' },
    ],
  });

export const UserImportEntry = UserPutRequest.extend({ external_id: ExternalId, email: Email });

export const UserQuery = z
  .strictObject({ external_id: filledExactText(191).describe(userIdDescription) })
  .meta({ examples: [{ external_id: 'customer-1042' }] });

export const SignInLink = z
  .object({
    url: z.url().describe('Redirect the user to this address. It works once, within 60 seconds.'),
    expires_at: dateTime.describe('When the link stops working if it is not used.'),
  })
  .meta({
    title: 'SignInLink',
    description: 'A link that signs one user in, once.',
    examples: [
      {
        url: 'https://games.example/account/link#9mTqOeXc0lC3kq1lV8cQbW5tq0sY2uJr7dHf4nGaZxE',
        expires_at: '2026-11-21T09:31:00.000Z',
      },
    ],
  });

export const InvitationSent = z
  .object({ sent: z.literal(true).describe('The mail is on its way.') })
  .meta({ title: 'InvitationSent', description: 'Confirms the invitation.', examples: [{ sent: true }] });

export const UserListQuery = z
  .strictObject({
    email: Email.describe('Only the user with this address.').optional(),
    search: filledExactText(254)
      .describe(
        'Only users whose e-mail address, external_id or names have each of these words (up to 8). Case and accents do not matter.',
      )
      .optional(),
    active: z.boolean().describe('True lists only active users, false only suspended ones.').optional(),
    after: integer(0)
      .default(0)
      .describe('Only users with a higher id. For the next page, the last id of the previous one.'),
    limit: integer(1, 200).default(50).describe('Users per page.'),
  })
  .meta({ examples: [{ active: true, after: 0, limit: 50 }] });

const pickAdminUser = createPick(AdminUser);

export const presentAdminUser = (user: UserRecord): z.infer<typeof AdminUser> => ({
  ...pickAdminUser(user),
  admin: user.isAdmin,
  active: user.isActive,
  has_second_factor: user.hasSecondFactor ?? false,
});

export const toProvisionedUser = (request: z.output<typeof UserPutRequest>): ProvisionedUser => ({
  ...namedUser(request.external_id),
  email: request.email,
  firstName: request.first_name,
  lastName: request.last_name,
  nickname: request.nickname,
  chatId: request.chat_id,
  chatUsername: request.chat_username,
  chatAvatarUrl: request.chat_avatar_url,
  panelUserId: request.panel_user_id,
  isActive: request.active,
});

function namedUser(name: string): Pick<ProvisionedUser, 'externalId' | 'id'> {
  const id = parseOwnId(name);
  return id === null ? { externalId: name } : { externalId: null, id };
}
