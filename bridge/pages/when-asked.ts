/** Loads a thing when it is first asked for, once for all who ask. A failure is not kept: the next to ask tries again. */

export function whenAsked<Thing>(load: () => Promise<Thing>): () => Promise<Thing> {
  let loading: Promise<Thing> | undefined;
  return () => {
    loading ??= load().catch((failure: unknown) => {
      loading = undefined;
      throw failure;
    });
    return loading;
  };
}
