/** Where a link led, kept during a sign-in that ends at another address: at the identity provider, or by a link. */
import { currentAddress } from './route.ts';
import { forgetForSignIn, keepForSignIn, recallForSignIn } from './storage.ts';

const name = 'destination';
const lifetimeMs = 15 * 60_000;
const nowhereElse = '/account';

export function keepDestination(): void {
  takeDestination();
  const address = currentAddress();
  if (address !== nowhereElse) keepForSignIn(name, address, lifetimeMs);
}

export function takeDestination(): string {
  const destination = recallForSignIn(name);
  if (destination === null) return nowhereElse;
  forgetForSignIn(name, destination);
  return destination;
}
