/** Where a link led, kept during a sign-in at the identity provider, which comes back to another address. */
import { tryStorage } from './storage.ts';

const storageKey = 'destination';

export const keepDestination = () =>
  tryStorage('sessionStorage', (storage) => storage.setItem(storageKey, location.hash));

/** As a part of an address; empty where a link led nowhere else. */
export const takeDestination = (): string =>
  tryStorage('sessionStorage', (storage) => {
    const destination = storage.getItem(storageKey);
    storage.removeItem(storageKey);
    return destination;
  }) ?? '';
