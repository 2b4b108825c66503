/** The part of an answer that a sample shows: later versions may add fields to answers. */

/** Keeps only the fields of objects that the sample has. */
export function pickFieldsOf(answer: unknown, sample: unknown): unknown {
  if (Array.isArray(sample))
    return (answer as unknown[]).map((item, index) => pickFieldsOf(item, sample[index]));
  if (typeof sample !== 'object' || sample === null) return answer;
  const fields = answer as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(sample).map(([name, value]) => [name, pickFieldsOf(fields[name], value)]),
  );
}
