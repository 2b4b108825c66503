/** Tracks calls of store methods, so that a test which must call all of them can name the missing ones. */
import type { Models } from '../../models/index.ts';

type Method = (...args: unknown[]) => unknown;

/** Records calls of the stores; the result holds the methods not called yet, such as "tickets.reply". */
export function watchUncalled(models: Models): Set<string> {
  const uncalled = new Set<string>();
  for (const [noun, store] of Object.entries(models)) {
    if (typeof store !== 'object') continue;
    const methods = store as unknown as Record<string, Method>; // by the names found in it
    for (const name of methodNames(store)) {
      const original = methods[name]?.bind(store);
      uncalled.add(`${noun}.${name}`);
      methods[name] = (...args) => {
        uncalled.delete(`${noun}.${name}`);
        return original?.(...args);
      };
    }
  }
  return uncalled;
}

const methodNames = (store: object): string[] =>
  [...Object.keys(store), ...Object.getOwnPropertyNames(Object.getPrototypeOf(store))].filter(
    (name) => name !== 'constructor' && typeof store[name as keyof typeof store] === 'function',
  );
