/** What tests of a `describe` share or have to themselves: started before them, stopped after them. */
interface Stoppable {
  stop(): unknown;
}

/**
 * Call it where the `describe` is defined; hooks and tests then use what it returns as what `start` resolved to.
 *
 *     const service = useStarted(() => startTestService({ rateLimitPerMinute: 5 }));
 */
export function useStarted<Started extends Stoppable>(start: () => Promise<Started>): Started {
  let started: Started | undefined;
  before(async () => {
    started = await start();
  });
  after(() => started?.stop());
  return standInFor(() => started);
}

/** The same, but started and stopped for each test. */
export function useForEach<Started extends Stoppable>(start: () => Promise<Started>): Started {
  let started: Started | undefined;
  beforeEach(async () => {
    started = await start();
  });
  afterEach(() => started?.stop());
  return standInFor(() => started);
}

const standInFor = <Started extends object>(find: () => Started | undefined) =>
  new Proxy({} as Started, {
    get(_, property) {
      const started = find();
      if (!started) throw new Error(`${String(property)} is for hooks and tests: nothing is started yet`);
      const value = Reflect.get(started, property);
      // A class's method reaches its private fields through what was started alone.
      return typeof value === 'function' ? value.bind(started) : value;
    },
  });
