/**
 * JSON in pieces, for answers that are long and mostly the same for all: what is kept is kept as bytes, so that long text
 * is not joined and encoded anew for each of them.
 */

/** Text, or the bytes of some that are kept. */
export type JsonPiece = string | Buffer;

export type JsonPieces = readonly JsonPiece[];

/** The same with no two texts in a row: each piece is written by itself. */
export function joinTexts(pieces: JsonPieces): JsonPieces {
  const joined: JsonPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') joined[joined.length - 1] = last + piece;
    else joined.push(piece);
  }
  return joined;
}

/** In bytes. */
export const lengthOf = (pieces: JsonPieces): number =>
  pieces.reduce((length, piece) => length + Buffer.byteLength(piece), 0);
