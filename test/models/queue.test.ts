/** The queue's concurrency limit, its order, and its maximum wait. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { limitByKey, Queue } from '../../models/support/queue.ts';
import { failureOf } from '../support/failure-of.ts';

function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    do: (name: string) => () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    },
    async end(name: string) {
      ends.get(name)?.();
      await turn();
      await turn();
    },
  };
}

describe('a queue', () => {
  it('starts waiting entries in order, up to its concurrency limit', async () => {
    const work = createWork();
    const queue = new Queue({ runningMax: 2 });
    for (const name of ['a', 'b', 'c', 'd']) void queue.run(work.do(name));
    expect(work.begun).to.deep.equal(['a', 'b']);
    await work.end('b');
    expect(work.begun).to.deep.equal(['a', 'b', 'c']);
    await work.end('a');
    expect(work.begun).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('starts urgent entries first and keeps entries waiting that must not run with the current ones', async () => {
    const work = createWork();
    const queue = new Queue<string>({
      runningMax: 2,
      mayRunWith: (running, name) => running.every((other) => other[0] !== name[0]),
      isUrgent: (name) => name.startsWith('urgent'),
    });
    for (const name of ['a1', 'b1', 'a2', 'c1', 'urgent']) void queue.run(work.do(name), name);
    await work.end('b1');
    await work.end('urgent');
    expect(work.begun).to.deep.equal(['a1', 'b1', 'urgent', 'c1']);
    await work.end('a1');
    expect(work.begun.at(-1)).to.equal('a2');
  });

  it('refuses new entries when too many wait, and drops an entry that waited too long', async () => {
    const work = createWork();
    const queue = new Queue({ runningMax: 1, waitingMax: 1, waitMsMax: 10 });
    void queue.run(work.do('a'));
    const waiting = failureOf(queue.run(work.do('b')));
    expect((await failureOf(queue.run(work.do('c')))).message).to.equal('too many are waiting');
    expect((await waiting).message).to.equal('no slot became free in time');
    await work.end('a');
    await queue.run(async () => {});
    expect(work.begun).to.deep.equal(['a']);
  });

  it('continues after a failure', async () => {
    const queue = new Queue({ runningMax: 1 });
    const failed = failureOf(queue.run(() => Promise.reject(new Error('no'))));
    expect(await queue.run(async (hasWaited) => hasWaited)).to.equal(true);
    expect((await failed).message).to.equal('no');
  });
});

describe('queues by key', () => {
  it('do not wait for each other, and keep the order within each key', async () => {
    const work = createWork();
    const run = limitByKey<string>({ runningMax: 1 });
    for (const name of ['a1', 'a2', 'b1']) void run(name.slice(0, 1), work.do(name));
    expect(work.begun).to.deep.equal(['a1', 'b1']);
    await work.end('a1');
    expect(work.begun).to.deep.equal(['a1', 'b1', 'a2']);
  });

  it("keep other entries' slots when one entry is released twice", () => {
    const queue = new Queue<string>({ runningMax: 2 });
    queue.tryAcquire('one');
    queue.tryAcquire('other');
    queue.release('one');
    queue.release('one');
    expect(queue.running).to.deep.equal(['other']);
  });
});
