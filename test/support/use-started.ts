/** Fixtures for one test or all tests of a `describe`: started before them, stopped after them in reverse order. */
interface Stoppable {
  stop(): unknown;
}

/** The hooks of mocha nest, so the fixture that started last always stops next. */
const running: Stoppable[] = [];

/**
 * Call it where the `describe` is defined; hooks and tests then use its result like the value that `start` resolved to.
 *
 *     const service = useStarted(() => startTestService({ rateLimitPerMinute: 5 }));
 */
export function useStarted<Started extends Stoppable>(start: () => Promise<Started>): Started {
  return useBetween([before, after], start);
}

/** The same, but started and stopped for each test. */
export function useForEach<Started extends Stoppable>(start: () => Promise<Started>): Started {
  return useBetween([beforeEach, afterEach], start);
}

type Hook = (act: () => Promise<void>) => void;

function useBetween<Started extends Stoppable>(
  [begin, end]: [Hook, Hook],
  start: () => Promise<Started>,
): Started {
  let started: Started | undefined;
  begin(async () => {
    started = undefined;
    started = await start();
    running.push(started);
  });
  end(async () => {
    if (started) await running.pop()?.stop();
  });
  return new Proxy({} as Started, {
    get(_, property) {
      if (!started) throw new Error(`${String(property)} is for hooks and tests: nothing is started yet`);
      const value = Reflect.get(started, property);
      // A method of a class can read its private fields only through the started object itself.
      return typeof value === 'function' ? value.bind(started) : value;
    },
  });
}
