/** Resolves to the error of a promise; fails the test when the promise resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => 'nothing: it succeeded',
    (failure: unknown) => failure,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(`expected an Error, got ${outcome}`);
}
