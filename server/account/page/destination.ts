/** Where a link led, kept during a sign-in that ends at another address: at the identity provider, or by a link. */
import { forgetForSignIn, keepForSignIn, recallForSignIn } from './storage.ts';

const name = 'destination';
const lifetimeMs = 15 * 60_000;

export function keepDestination(): void {
  const before = recallForSignIn(name);
  if (before !== null) forgetForSignIn(name, before);
  if (location.hash !== '') keepForSignIn(name, location.hash, lifetimeMs);
}

/** As a part of an address; empty where a link led nowhere else. */
export function takeDestination(): string {
  const destination = recallForSignIn(name) ?? '';
  forgetForSignIn(name, destination);
  return destination;
}
