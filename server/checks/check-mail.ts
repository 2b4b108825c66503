/** Whether mail can be sent. */
import type { Finding } from './finding.ts';

export const checkMail = async (): Promise<Finding> => ({
  part: 'Mail',
  state: 'off',
  message: 'not configured',
});
