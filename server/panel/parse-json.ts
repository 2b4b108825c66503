/** The value of a JSON text; undefined where it is none. */
export function parseJson(text: string): unknown {
  if (text === '') return undefined; // every accepted signal is; an exception of JSON.parse is expensive
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
