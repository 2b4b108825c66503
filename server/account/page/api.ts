/** The page's tRPC client, and the messages that users see for its failures. */
import { createTRPCClient, httpLink, TRPCClientError, type TRPCLink } from '@trpc/client';
import type { inferRouterOutputs } from '@trpc/server';
import { tap } from '@trpc/server/observable';
import type { AccountPageRouter } from '../../../routers/account/index.ts';
import { clearUserStorage } from './storage.ts';

export type Api = ReturnType<typeof createApi>;

type Outputs = inferRouterOutputs<AccountPageRouter>;
export type Settings = Outputs['session']['current']['settings'];
export type OwnSession = Outputs['sessions']['list']['sessions'][number];
export type User = NonNullable<Outputs['session']['signIn']['user']>;
export type PendingSignIn = NonNullable<Outputs['session']['current']['pending']>;
export type SecondFactorResult = Outputs['session']['showFactor'];
export type OwnFactors = Outputs['factors']['list'];
export type OwnFactor = OwnFactors['factors'][number];
export type PendingAuthenticatorApp = Outputs['factors']['beginAuthenticatorApp'];
export type FactorKind = OwnFactor['kind'];
export type KeyList = Outputs['keys']['list'];
export type LiveKey = KeyList['live'][number];
export type EndedKey = KeyList['ended'][number];
export type IssuedKey = Outputs['keys']['create'];
export type ActivitySummary = Outputs['activity']['summary'];
export type ActivityDay = ActivitySummary['days'][number];
export type Activity = Outputs['activity']['list']['activity'][number];
type OwnTicket = Outputs['tickets']['list']['tickets'][number];
export type Ticket = Omit<OwnTicket, 'is_unread'> &
  Partial<OwnTicket & Outputs['admin']['listTickets']['tickets'][number]>;
export type TicketCounts = Outputs['tickets']['counts'];
export type Message = Outputs['tickets']['get']['messages'][number];
export type Note = Outputs['admin']['getTicket']['notes'][number];
export type TicketPage = { ticket: Ticket; messages: Message[]; notes?: Note[]; has_more: boolean };
export type SavedAnswer = Outputs['answers']['list']['answers'][number];
export type Server = Outputs['servers']['list']['servers'][number];
export type ServerState = Outputs['servers']['states']['states'][number];
export type Resources = Outputs['servers']['resources']['resources'];
export type BackupList = Outputs['servers']['backups']['list'];
export type Backup = BackupList['backups'][number];
export type ServerFile = Outputs['servers']['files']['list']['files'][number];
export type FileContent = Outputs['servers']['files']['read']['file'];
export type Players = Outputs['servers']['players']['players'];
export type Schedule = Outputs['servers']['schedules']['list']['schedules'][number];
export type Task = Schedule['tasks'][number];
export type ScheduleRequest = Omit<
  Parameters<Api['servers']['schedules']['create']['mutate']>[0],
  'server_identifier' | 'id'
>;
export type TaskRequest = ScheduleRequest['tasks'][number];
export type ReplacedTask = Parameters<Api['servers']['schedules']['replace']['mutate']>[0]['tasks'][number];
export type Startup = Outputs['servers']['startup']['get']['startup'];
export type StartupVariable = Startup['variables'][number];
export type PowerSignal = Parameters<Api['servers']['power']['mutate']>[0]['signal'];
export type Customer = Outputs['customer']['get'];
export type CustomerServers = Outputs['customer']['servers'];
export type CustomerServer = CustomerServers['servers'][number];
export type CustomerState = Outputs['customer']['resources'];
export type Scope = Parameters<Api['apps']['allow']['mutate']>[0]['scopes'][number];
export type AccessRequest = Outputs['apps']['request'];
export type ConnectedApp = Outputs['apps']['list']['apps'][number];
type WebhookList = Outputs['webhooks']['list'];
export type Webhook = WebhookList['webhooks'][number];
export type WebhookTypes = WebhookList['types'];
export type WebhookSecret = Outputs['webhooks']['create'];
export type Delivery = Outputs['webhooks']['listDeliveries']['deliveries'][number];
export type Subscription = Outputs['subscriptions']['list']['subscriptions'][number];
export type Announcement = Outputs['announcements']['list']['announcements'][number];
export type ManagedUser = Outputs['admin']['getUser']['user'];
export type ListedUser = Outputs['admin']['listUsers']['users'][number];
export type UserDetails = Outputs['admin']['getUserDetails'];
export type Game = Outputs['admin']['listGames']['games'][number];
export type Plan = Game['plans'][number];
export type ManagedAnnouncement = Outputs['admin']['listAnnouncements']['announcements'][number];
export type WebhookCalls = Omit<Api['webhooks'], 'host'>;

/** One call per request: the service refuses batches here. */
export const createApi = () =>
  createTRPCClient<AccountPageRouter>({
    links: [
      keepVersion,
      httpLink({
        url: '/account/trpc',
        fetch: createRepeatableFetch(),
        headers: ({ op: { type, context } }) =>
          type === 'mutation' && context['etag'] ? { 'If-Match': String(context['etag']) } : {},
      }),
    ],
  });

/** A read fills in the version of what it shows. A write applies to that version only, or is refused. */
export type Version = { etag?: string | null };

const keepVersion: TRPCLink<AccountPageRouter> = () => {
  const read = (context: object, { response }: { response?: Response }) =>
    Object.assign(context, { etag: response?.headers.get('ETag') });
  return ({ op, next }) => next(op).pipe(tap({ next: ({ context }) => read(op.context, context ?? {}) }));
};

/** The write would overwrite a change that the page has not shown. */
export class EditConflict extends Error {
  readonly current: unknown;

  constructor(current: unknown) {
    super('Changed by someone else');
    this.current = current;
  }
}

/** Not from the service: the browser provided no passkey, for example. The message is for the user. */
export class ShownFailure extends Error {}

/** Signs out here and at the identity provider, where the browser goes next. */
export async function endSession(api: Api, onSignedOut: () => void): Promise<void> {
  const { next_url } = await api.session.signOut.mutate();
  clearUserStorage();
  if (next_url) location.assign(next_url);
  else onSignedOut();
}

export interface Failure {
  isSignedOut: boolean;
  /** Path of the refused field, as the API names it. */
  field?: string | undefined;
  /** Whether the same request would fail the same way. */
  isFinal?: boolean;
  message: string;
}

/** The service's error code; undefined when it did not answer, or the page itself failed. */
export const codeOf = (failure: unknown): string | undefined => readFailure(failure).code;

function readFailure(failure: unknown) {
  const error = failure instanceof TRPCClientError ? failure : null;
  return { error, ...((error?.data ?? {}) as { code?: string; requestId?: string }) };
}

export function describeFailure(failure: unknown, form?: HTMLFormElement): Failure {
  const { error, code, requestId } = readFailure(failure);
  if (failure instanceof EditConflict || code === 'precondition_failed')
    return {
      isSignedOut: false,
      message: 'Someone else has changed this. Nothing was saved: review it and try again.',
    };
  if (failure instanceof ShownFailure) return { isSignedOut: false, message: failure.message };
  if (!error) {
    reportError(failure);
    return { isSignedOut: false, message: 'Something went wrong on this page. Reload it and try again.' };
  }
  if (!code)
    return {
      isSignedOut: false,
      message: 'The service did not answer. Check your connection and try again.',
    };
  const message =
    code === 'internal_error'
      ? `Something went wrong on our side. Try again; if it keeps failing, tell us this number: ${requestId}`
      : `${namesFields(code) ? withFieldNames(error.message, form) : error.message}.`;
  const field = namesFields(code) ? fieldOf(error.message) : undefined;
  const isFinal = finalCodes.includes(code) || error.message.includes('a retry does not help');
  return { isSignedOut: code === 'unauthorized', field, isFinal, message };
}

/** `unauthorized` is also a wrong code in the second step of a sign-in. */
const namesFields = (code: string) => ['bad_request', 'unauthorized'].includes(code);

/** Others end by themselves, or the user can end them. */
const finalCodes = ['bad_request', 'insufficient_scope', 'forbidden_address', 'not_found'];

const labelsOutsideForm: Record<string, string> = {
  name: 'The name',
  expires_at: 'The expiry date',
  file: 'The path',
  directory: 'The path',
  to: 'The new path',
  command: 'The command',
  content: 'The text',
};

/**
 * A message starts with a lower-case letter only where it starts with a field's path, as in `plans.0.title must be`.
 */
const path = /(?<=^|; )([a-z]\w*)((?:\.\w+)*)(?= )/g;

const withFieldNames = (message: string, form?: HTMLFormElement): string =>
  message.replace(path, (named, field: string, inner: string) => {
    const [last = field] = inner
      .split('.')
      .filter((part) => /^[a-z]/i.test(part))
      .slice(-1);
    const label = form && (labelIn(form, named) ?? labelIn(form, last));
    const name = label ? `“${label}”` : labelsOutsideForm[last];
    if (name === undefined) return named;
    return /\.\d+$/.test(inner) ? `Each of ${name.replace(/^The/, 'the')}` : name;
  });

const fieldOf = (message: string): string | undefined => /^[a-z]\w*(?:\.\w+)*(?= )/.exec(message)?.[0];

/** A choice's fieldset has the same name and comes first. */
function labelIn(form: HTMLFormElement, field: string): string | undefined {
  const found = form.elements.namedItem(field);
  const input = found instanceof RadioNodeList ? found[0] : found;
  if (!(input instanceof HTMLElement)) return undefined;
  const label = input.querySelector('legend') ?? form.querySelector(`label[for="${input.id}"]`);
  return label?.textContent.trim() || undefined;
}

/** How long a repeated request counts as the same press; later it is a new write. */
const sameWriteMs = 5 * 60_000;

/** After these statuses from the service, the write may still succeed under its key. */
const openStatuses = [409, 500, 503];

/**
 * Sends each write with an idempotency key: if its response is lost and the user presses again, it is not done twice.
 * Only the last write is remembered: a repetition after another write is intended.
 */
function createRepeatableFetch(): (url: string | URL | Request, init?: object) => Promise<Response> {
  let unanswered: { request: string; key: string; until: number } | null = null;
  return async (url, init: RequestInit = {}) => {
    if (init.method !== 'POST') return fetch(url, init);
    const request = `${url} ${init.body}`;
    const isSame = unanswered?.request === request && Date.now() < unanswered.until;
    const write =
      isSame && unanswered ? unanswered : { request, key: newKey(), until: Date.now() + sameWriteMs };
    unanswered = write;
    const headers = { ...(init.headers as Record<string, string>), 'Idempotency-Key': write.key };
    const response = await fetch(url, { ...init, headers });
    await response.clone().arrayBuffer(); // the connection may break in the middle
    const isOurs = response.headers.get('Content-Type')?.includes('json') ?? false;
    if (isOurs && !openStatuses.includes(response.status) && unanswered === write) unanswered = null;
    return response;
  };
}

/** Without TLS, browsers have no `crypto.randomUUID`. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
