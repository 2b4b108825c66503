/** Returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  if (text === '') return undefined; // accepted signals have an empty response, and an exception from JSON.parse is expensive
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
