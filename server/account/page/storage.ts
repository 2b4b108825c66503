/** The browser's storage, which settings may forbid and data may fill: the page then works, and keeps nothing. */

type Kind = 'localStorage' | 'sessionStorage';

/** Null also where the storage cannot be used, and where another version stored something else. */
export const tryStorage = <Result>(kind: Kind, use: (storage: Storage) => Result): Result | null => {
  try {
    return use(window[kind]);
  } catch {
    return null;
  }
};

/** How the names begin of what is kept for the user, in addition to the user's id. */
export const ownPrefix = 'own:';

/** At sign-out. */
export const dropOwn = () =>
  tryStorage('sessionStorage', (storage) => {
    for (const key of Object.keys(storage)) if (key.startsWith(ownPrefix)) storage.removeItem(key);
  });

const kinds = ['sessionStorage', 'localStorage'] as const;

type Slot = { name: string; lifetimeMs: number };

/** For a sign-in that ends at another address: the tab's own counts first, and a link, which opens in a new tab, finds that of any. */
export function keepForSignIn({ name, lifetimeMs }: Slot, value: string): void {
  const kept = JSON.stringify({ value, until: Date.now() + lifetimeMs });
  for (const kind of kinds) tryStorage(kind, (storage) => storage.setItem(name, kept));
}

/** Null where nothing is kept, or for too long. */
export const recallForSignIn = (slot: Slot): string | null =>
  kinds.map((kind) => readKept(kind, slot)).find(Boolean) ?? null;

/** Another tab may have kept another value, which stays. */
export function forgetForSignIn(slot: Slot, value: string): void {
  for (const kind of kinds)
    if (readKept(kind, slot) === value) tryStorage(kind, (storage) => storage.removeItem(slot.name));
}

const readKept = (kind: Kind, { name }: Slot) =>
  tryStorage(kind, (storage): string | null => {
    const { value, until } = JSON.parse(storage.getItem(name) ?? '{}');
    return typeof value === 'string' && Number(until) > Date.now() ? value : null;
  });
