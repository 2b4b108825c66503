/** What the tests of a `describe` share: started before them, stopped after them. */
/**
 * Call it where the `describe` is defined; hooks and tests then use what it returns as what `start` resolved to.
 *
 *     const service = useStarted(() => startTestService({ rateLimitPerMinute: 5 }));
 */
export function useStarted<Started extends { stop(): unknown }>(start: () => Promise<Started>): Started {
  let started: Started | undefined;
  before(async () => {
    started = await start();
  });
  after(() => started?.stop());
  return new Proxy({} as Started, {
    get(_, property) {
      if (!started) throw new Error(`${String(property)} is for hooks and tests: nothing is started yet`);
      return Reflect.get(started, property);
    },
  });
}
