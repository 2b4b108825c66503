/** What a promise fails with; that it succeeds is a failure of the test. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => 'nothing: it succeeded',
    (failure: unknown) => failure,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(`expected an Error, got ${outcome}`);
}
