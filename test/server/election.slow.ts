/** A replica set loses its primary while the service works: calls wait for the next one, and none is refused. */
import { expect } from 'chai';
import { startProgram } from '../support/program.ts';
import { TestReplicaSet } from '../support/replica-set.ts';
import { useStarted } from '../support/use-started.ts';

describe('a service while MongoDB elects a primary', () => {
  const set = useStarted(() => TestReplicaSet.start({ electionTimeoutMillis: 4000 }));
  const program = useStarted(() =>
    startProgram({ MONGODB_URI: set.uri, SEED_DEMO: 'true', RATE_LIMIT_PER_MINUTE: '10000' }),
  );

  const call = async (path: string, body?: object) => {
    const headers = { 'X-API-Key': program.key ?? '', 'Content-Type': 'application/json' };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    return (await fetch(`${program.url}/api/v1${path}`, init)).status;
  };

  it('delays reads and writes until it is elected, and makes each write once', async () => {
    const titles = Array.from({ length: 10 }, (_, number) => `Election ${number}`);
    // A write in progress at that moment may or may not have happened.
    await set.killPrimary();
    const calls = titles.flatMap((title) => [call('/me'), call('/tickets', { title, message: 'x' })]);
    const statuses = await Promise.all(calls);
    const logged = program
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(statuses, logged.join('\n')).to.deep.equal(titles.flatMap(() => [200, 201]));
    const response = await fetch(`${program.url}/api/v1/tickets?limit=50`, {
      headers: { 'X-API-Key': program.key ?? '' },
    });
    const { tickets } = (await response.json()) as { tickets: { subject: string }[] };
    const stored = tickets.map(({ subject }) => subject).filter((subject) => subject.startsWith('Election'));
    expect(stored.sort()).to.deep.equal(titles);
    expect(await program.stop()).to.equal(0);
  });
});
