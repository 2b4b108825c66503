/** One watch over a whole run of the tests: it fails the run when a secret that was issued in it stood anywhere. */
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { expect } from 'chai';
import type { Models } from '../../models/index.ts';
import { SecretWatch } from './secret-watch.ts';

export const runWatch = new SecretWatch();

/** Hears every process that the tests start, and what mocha and the tests themselves print. */
export function mochaGlobalSetup(): void {
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess }; // as Node publishes it
    // It is told of before it is started.
    queueMicrotask(() => runWatch.listenToProcess(child));
  });
  for (const stream of [process.stdout, process.stderr]) {
    const listen = runWatch.listenTo('what the run prints');
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
      listen(String(chunk));
      return write(chunk, ...rest);
    };
  }
}

export const mochaHooks = {
  afterAll(): void {
    runWatch.end();
    expect(runWatch.leaks, 'secrets that somebody could read').to.deep.equal([]);
  },
};

/** Has the watch know every key and every session that these stores give out. */
export function watchIssued({ apiKeys, sessions }: Pick<Models, 'apiKeys' | 'sessions'>): void {
  const issue = apiKeys.issue.bind(apiKeys);
  apiKeys.issue = async (...args) => {
    const issued = await issue(...args);
    runWatch.keep(issued.secret);
    return issued;
  };
  const open = sessions.open.bind(sessions);
  sessions.open = async (...args) => {
    const opened = await open(...args);
    runWatch.keep(opened.token);
    return opened;
  };
}
