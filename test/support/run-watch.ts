/** Watches each process that runs tests: the run fails when an issued secret is readable anywhere. */
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { expect } from 'chai';
import type { Context } from 'mocha';
import type { Models } from '../../models/index.ts';
import { SecretWatch } from './secret-watch.ts';
import { linkSignature } from './signed-links.ts';

export const runWatch = new SecretWatch();

let isListening = false;

/** Scans the output of this process and of every process that it starts. */
function listen(): void {
  if (isListening) return;
  isListening = true;
  runWatch.addSecret(linkSignature);
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess }; // as Node publishes it
    // The message arrives before the process has its streams.
    queueMicrotask(() => runWatch.scanProcess(child));
  });
  for (const stream of [process.stdout, process.stderr]) {
    const scan = runWatch.scanner('what the run prints');
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
      scan(String(chunk));
      return write(chunk, ...rest);
    };
  }
}

/** Runs in the main process alone, before MongoDB is started. */
export const mochaGlobalSetup = listen;

/** Run in every worker, for each of its files. */
export const mochaHooks = {
  beforeAll: listen,

  /** The main process prints the failures of a worker's tests and does not know the worker's secrets. */
  afterEach(this: Context): void {
    const failure = this.currentTest?.err;
    if (!failure) return;
    const { message, stack = '' } = failure;
    runWatch.scanner('the failure of a test')(`${message}\n${stack}\n`);
  },

  afterAll(): void {
    runWatch.flush();
    expect(runWatch.leaks.splice(0), 'secrets in readable output').to.deep.equal([]);
  },
};

/** Adds every key, session, code and token that these stores issue to the watch. */
export function watchIssued({
  apiKeys,
  sessions,
  oauthTokens,
}: Pick<Models, 'apiKeys' | 'sessions' | 'oauthTokens'>): void {
  const add = oauthTokens.add.bind(oauthTokens);
  oauthTokens.add = async (token, ...args) => {
    runWatch.addSecret(token.replace(/^gamehost_(app|refresh)_/, ''));
    await add(token, ...args);
  };
  const issue = apiKeys.issue.bind(apiKeys);
  apiKeys.issue = async (...args) => {
    const issued = await issue(...args);
    runWatch.addSecret(issued.secret);
    return issued;
  };
  const open = sessions.open.bind(sessions);
  sessions.open = async (...args) => {
    const opened = await open(...args);
    runWatch.addSecret(opened.token);
    return opened;
  };
}
