/** A test that times out while its child process, server and timer continue; the run must still end. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

describe('a test that hangs', () => {
  it('times out', async () => {
    createServer().listen(0, '127.0.0.1');
    setInterval(() => {}, 1000);
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    await new Promise(() => {});
  }).timeout(100);
});
