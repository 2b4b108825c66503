/** Returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  if (text === '') return undefined; // the response to every accepted signal; an exception of JSON.parse is expensive
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
