/** The browser's storage, which may be forbidden or full: the page then works, but keeps nothing. */

export type Kind = 'localStorage' | 'sessionStorage';

/** Null also if the storage cannot be used, or another version stored something else. */
export const tryStorage = <Result>(kind: Kind, use: (storage: Storage) => Result): Result | null => {
  try {
    return use(window[kind]);
  } catch {
    return null;
  }
};

/** Begins the name of each value that belongs to a user. The user's id follows. */
export const userKeyPrefix = 'own:';

export const clearUserStorage = () =>
  tryStorage('sessionStorage', (storage) => {
    for (const key of Object.keys(storage)) if (key.startsWith(userKeyPrefix)) storage.removeItem(key);
  });
