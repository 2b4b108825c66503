/** A test that prints a session's token, for a run that must fail because of it. */
import { startTestService } from '../service.ts';

describe('a test that leaks', () => {
  it('passes', async () => {
    const service = await startTestService();
    const user = await service.addUser();
    const { token } = await service.models.sessions.open({ user }, new Date());
    process.stderr.write(`session ${token}\n`);
    await service.stop();
  });
});
