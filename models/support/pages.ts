/** Pages of a list that is sorted by a key: the entries after the last one of a page, and whether there are more. */

/** One field, or two fields: the second breaks ties. */
type Sort<Field extends string> = { readonly [Name in Field]: 1 | -1 };

/** Matches the entries after `last`. The first field has its own bound, so that MongoDB reads an index from there. */
export function matchAfter<Field extends string>(
  sort: Sort<Field>,
  last: { readonly [Name in Field]: unknown },
): Record<string, unknown> {
  const names = Object.keys(sort) as Field[]; // Object.keys is typed as string[]
  const beyond = names.map((name) => ({ [name]: { [sort[name] === 1 ? '$gt' : '$lt']: last[name] } }));
  const [first, second] = names;
  if (first === undefined || second === undefined) return { ...beyond[0] };
  return { [first]: { [sort[first] === 1 ? '$gte' : '$lte']: last[first] }, $or: beyond };
}

/** @param read returns up to `limit` entries; its limit is one above the page's, to see whether there are more */
export async function readPage<Entry>(limit: number, read: (limit: number) => Promise<Entry[]>) {
  const found = await read(limit + 1);
  return { entries: found.slice(0, limit), hasMore: found.length > limit };
}
