/** The requests behind forms, and their fields' bounds, which the build reads from each schema. */
import type { inferRouterInputs } from '@trpc/server';
import type { AccountPageRouter } from '../../../routers/account/index.ts';

/** Paths of procedures, or of a list in an input where a form fills in one of its items. */
export const formRequests = [
  'session.signIn',
  'session.mailLink',
  'session.showFactor',
  'session.changePassword',
  'factors.addAuthenticatorApp',
  'factors.addPasskey',
  'factors.rename',
  'keys.create',
  'keys.rename',
  'keys.rotate',
  'apps.change',
  'notices.change',
  'tickets.list',
  'tickets.create',
  'tickets.reply',
  'admin.answerTicket',
  'admin.noteTicket',
  'answers.save',
  'servers.backups.create',
  'servers.schedules.create',
  'servers.console.send',
  'servers.files.write',
  'servers.files.createDirectory',
  'servers.files.fetch',
  'servers.files.move',
  'webhooks.create',
  'admin.listUsers',
  'admin.putUser',
  'admin.putGame',
  'admin.putGame.plans',
  'admin.createAnnouncement',
] as const;

export type FormRequest = (typeof formRequests)[number];

export type RequestInput<Request extends FormRequest> = ItemOf<
  At<inferRouterInputs<AccountPageRouter>, Request>
>;

type At<Type, Path> = Path extends `${infer Name}.${infer Rest}`
  ? At<At<Type, Name>, Rest>
  : Path extends keyof Type
    ? Type[Path]
    : never;

type ItemOf<Type> = NonNullable<Type> extends readonly (infer Item)[] ? Item : NonNullable<Type>;

export interface Bounds {
  isRequired?: boolean;
  maxLength?: number;
  isInteger?: boolean;
  min?: number;
  max?: number;
  pattern?: string;
}

/**
 * Defined by the build, by request and field. A field in a list has the list's name as a prefix, as in
 * `tasks.command`.
 */
declare const fieldBounds: Record<FormRequest, Partial<Record<string, Bounds>>>;

const unbounded: Bounds = {};

/** @param name such as `title`, or `tasks.0.command` for a field of an item */
export const boundsOf = (request: FormRequest, name: string): Bounds =>
  fieldBounds[request][name.replaceAll(/\.\d+(?=\.)/g, '')] ?? unbounded;

export const takesField = (request: FormRequest, name: string): boolean => name in fieldBounds[request];

export const matchesBounds = (
  text: string,
  { pattern, isInteger, min = -Infinity, max = Infinity }: Bounds,
): boolean =>
  (pattern === undefined || new RegExp(pattern, 'u').test(text)) &&
  (!isInteger || (/^-?\d+$/.test(text) && Number(text) >= min && Number(text) <= max));
