/** Who a request's bytes are charged to: the user, or the network of a visitor's address. */
import type { RequestState } from '../../bridge/http/request-state.ts';
import { networkOf } from './network-of.ts';

export function ownerOf({ caller, session, address }: RequestState): string {
  const userId = caller?.userId ?? session?.user._id;
  return userId === undefined ? networkOf(address) : `user ${userId}`;
}
