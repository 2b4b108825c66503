/** The way to the service: the tRPC client of the account page's procedures, and what its failures mean to a reader. */
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import type { inferRouterOutputs } from '@trpc/server';
import type { AccountPageRouter } from '../../../routers/account-page.ts';

export type Api = ReturnType<typeof createApi>;

type Outputs = inferRouterOutputs<AccountPageRouter>;
export type User = Outputs['session']['signIn']['user'];
export type KeyList = Outputs['keys']['list'];
export type LiveKey = KeyList['live'][number];
export type EndedKey = KeyList['ended'][number];
export type IssuedKey = Outputs['keys']['create'];
export type Scope = KeyList['grantable_scopes'][number]['scope'];
export type OverlapHours = Parameters<Api['keys']['rotate']['mutate']>[0]['overlap_hours'];

/** The browser sends the session's cookie by itself; it goes nowhere else. */
export const createApi = () =>
  createTRPCClient<AccountPageRouter>({ links: [httpLink({ url: '/account/trpc' })] });

export interface Failure {
  isSignedOut: boolean;
  message: string;
}

export function describeFailure(failure: unknown): Failure {
  const answer = failure instanceof TRPCClientError ? failure : null;
  const { code, requestId } = (answer?.data ?? {}) as { code?: string; requestId?: string };
  if (!answer || !code)
    return {
      isSignedOut: false,
      message: 'The service did not answer. Check your connection and try again.',
    };
  const message =
    code === 'internal_error'
      ? `Something went wrong on our side. Try again; if it stays, tell us this number: ${requestId}`
      : `${answer.message}.`;
  return { isSignedOut: code === 'unauthorized', message };
}
