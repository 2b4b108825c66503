/** Where a link led, kept during a sign-in at the identity provider, which comes back to another address. */
import { currentAddress } from './route.ts';
import { tryStorage } from './storage.ts';

const storageKey = 'destination';

export const keepDestination = () =>
  tryStorage('sessionStorage', (storage) => storage.setItem(storageKey, currentAddress()));

export const takeDestination = (): string =>
  tryStorage('sessionStorage', (storage) => {
    const destination = storage.getItem(storageKey);
    storage.removeItem(storageKey);
    return destination;
  }) ?? '/account';
