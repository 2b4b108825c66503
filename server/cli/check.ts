/** `check`: whether everything that the settings name works, and what to do if not. */
import { z } from 'zod';
import { checkMail } from '../checks/check-mail.ts';
import { checkMongodb } from '../checks/check-mongodb.ts';
import { checkPublicUrl } from '../checks/check-public-url.ts';
import { checkRedis } from '../checks/check-redis.ts';
import type { Finding } from '../checks/finding.ts';
import { readConfig } from '../config.ts';
import { describeOutdated } from '../outdated.ts';
import { checkPanel } from '../panel/check-keys.ts';
import { checkSchedules } from '../panel/check-schedules.ts';
import { openPanelSettings, withoutDatabase } from './access.ts';
import { command } from './command.ts';
import { table } from './print.ts';

export const check = command({
  summary: 'Check MongoDB, Redis, the panel, mail, the public address and Node.js; changes nothing',
  example: 'check',
  notes: `
It works before the first start too. Exit code 1: something has failed; its line says what to do.`,
  options: z.object({}),
  access: withoutDatabase,
  async run(_, _options, { env }) {
    const config = readConfig(env);
    const { panel } = config;
    const outdated = describeOutdated('Node.js', process.version);
    const panelOff: Finding = { state: 'off', message: 'PANEL_URL is not set: the demo panel is used' };
    const found = await Promise.all([
      labelFinding('MongoDB', checkMongodb(config)),
      labelFinding('Redis', checkRedis(config.redisUrl)),
      panel ? checkPanel(openPanelSettings(panel)) : labelFinding('Panel', panelOff),
      panel ? checkSchedules(openPanelSettings(panel)) : [],
      labelFinding('Mail', checkMail(config)),
      labelFinding('Public address', checkPublicUrl(config)),
      labelFinding('Node.js', { state: outdated ? 'note' : 'ok', message: outdated ?? process.version }),
    ]);
    const checks = found.flat().map(({ part, state, message }) => ({ part, state, message }));
    const hasFailed = checks.some(({ state }) => state === 'failed');
    const text = table(checks, ['state', 'part', 'message'], '');
    return { json: { ok: !hasFailed, checks }, text, hasFailed };
  },
});

const labelFinding = async (part: string, found: Finding | Promise<Finding>) => ({ part, ...(await found) });
