/** Pages of a list that is sorted by a key: what comes after the last entry of a page, and whether there is more. */

/** By one field, or by two, of which the second decides between equal values of the first. */
type Sort<Field extends string> = { readonly [Name in Field]: 1 | -1 };

/** Matches what comes after an entry. Bounds the first field by itself, so that an index is read from there. */
export function matchAfter<Field extends string>(
  sort: Sort<Field>,
  last: { readonly [Name in Field]: unknown },
): Record<string, unknown> {
  const names = Object.keys(sort) as Field[]; // Object.keys forgets its own keys
  const beyond = names.map((name) => ({ [name]: { [sort[name] === 1 ? '$gt' : '$lt']: last[name] } }));
  const [first, second] = names;
  if (first === undefined || second === undefined) return { ...beyond[0] };
  return { [first]: { [sort[first] === 1 ? '$gte' : '$lte']: last[first] }, $or: beyond };
}

/** @param read up to so many entries; it is asked for one more than the page has, which is there if there is more */
export async function readPage<Entry>(limit: number, read: (limit: number) => Promise<Entry[]>) {
  const found = await read(limit + 1);
  return { entries: found.slice(0, limit), hasMore: found.length > limit };
}
