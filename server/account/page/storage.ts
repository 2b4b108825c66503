/** The browser's storage, which settings may forbid and data may fill: the page then works, and keeps nothing. */

export type Kind = 'localStorage' | 'sessionStorage';

/** Null also where the storage cannot be used, and where another version stored something else. */
export const tryStorage = <Result>(kind: Kind, use: (storage: Storage) => Result): Result | null => {
  try {
    return use(window[kind]);
  } catch {
    return null;
  }
};

/** How the names begin of what is kept for the user, in addition to the user's id. */
export const userKeyPrefix = 'own:';

/** At sign-out. */
export const clearUserStorage = () =>
  tryStorage('sessionStorage', (storage) => {
    for (const key of Object.keys(storage)) if (key.startsWith(userKeyPrefix)) storage.removeItem(key);
  });
