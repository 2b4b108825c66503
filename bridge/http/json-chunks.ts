/** JSON in chunks, for long responses that many share: what is cached is cached as bytes, not encoded for each of them. */

/** Text, or the cached bytes of some. */
export type JsonChunk = string | Buffer;

export type JsonChunks = readonly JsonChunk[];

/** Joins adjacent texts, as each chunk is a separate write. */
export function joinTexts(chunks: JsonChunks): JsonChunks {
  const joined: JsonChunk[] = [];
  for (const chunk of chunks) {
    const last = joined.at(-1);
    if (typeof chunk === 'string' && typeof last === 'string') joined[joined.length - 1] = last + chunk;
    else joined.push(chunk);
  }
  return joined;
}

/** In bytes. */
export const lengthOf = (json: string | JsonChunks): number =>
  typeof json === 'string'
    ? Buffer.byteLength(json)
    : json.reduce((length, chunk) => length + Buffer.byteLength(chunk), 0);
