/** The tRPC client of the account page's procedures, and its failures worded for the user. */
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import type { inferRouterOutputs } from '@trpc/server';
import type { AccountPageRouter } from '../../../routers/account-page.ts';

export type Api = ReturnType<typeof createApi>;

type Outputs = inferRouterOutputs<AccountPageRouter>;
export type Settings = Outputs['session']['current']['settings'];
export type OwnSession = Outputs['sessions']['list']['sessions'][number];
export type User = Outputs['session']['signIn']['user'];
export type KeyList = Outputs['keys']['list'];
export type LiveKey = KeyList['live'][number];
export type EndedKey = KeyList['ended'][number];
export type IssuedKey = Outputs['keys']['create'];
export type Ticket = Outputs['conversations']['list']['tickets'][number] &
  Partial<Outputs['support']['list']['tickets'][number]>;
export type Message = Outputs['conversations']['get']['messages'][number];
export type TicketPage = { ticket: Ticket; messages: Message[]; has_more: boolean };
export type Scope = Parameters<Api['apps']['allow']['mutate']>[0]['scopes'][number];
export type AccessRequest = Outputs['apps']['request'];
export type ConnectedApp = Outputs['apps']['list']['apps'][number];
export type OverlapHours = Parameters<Api['keys']['rotate']['mutate']>[0]['overlap_hours'];

/** One call per request: the service refuses batches here. */
export const createApi = () =>
  createTRPCClient<AccountPageRouter>({ links: [httpLink({ url: '/account/trpc' })] });

/** Signs out, here and at the identity provider, which the browser then goes to. */
export async function endSession(api: Api, onSignedOut: () => void): Promise<void> {
  const { next_url } = await api.session.signOut.mutate();
  if (next_url) location.assign(next_url);
  else onSignedOut();
}

export interface Failure {
  isSignedOut: boolean;
  message: string;
}

/** Why the service refused, in one word; undefined when it did not answer. */
export const codeOf = (failure: unknown): string | undefined => readFailure(failure).code;

function readFailure(failure: unknown) {
  const error = failure instanceof TRPCClientError ? failure : null;
  return { error, ...((error?.data ?? {}) as { code?: string; requestId?: string }) };
}

export function describeFailure(failure: unknown): Failure {
  const { error, code, requestId } = readFailure(failure);
  if (!error || !code)
    return {
      isSignedOut: false,
      message: 'The service did not answer. Check your connection and try again.',
    };
  const message =
    code === 'internal_error'
      ? `Something went wrong on our side. Try again; if it keeps failing, tell us this number: ${requestId}`
      : `${error.message}.`;
  return { isSignedOut: code === 'unauthorized', message };
}
