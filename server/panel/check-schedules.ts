/** Looks for schedules that the panel should have run long ago, for `check`. */
import { z } from 'zod';
import { mapWithin } from '../../models/support/queue.ts';
import { ApiError } from '../../routers/errors.ts';
import type { StoredSchedule } from '../../routers/panel-port.ts';
import type { Finding } from '../checks/finding.ts';
import { isReady, ListedServer } from './check-keys.ts';
import { PanelFailure } from './failures.ts';
import { pathSegment } from './http-client.ts';
import { createPanelApi, parseResponse } from './panel-api.ts';
import { listBytesMax, readSchedules } from './schedule-body.ts';
import type { PanelSettings } from './settings.ts';

const serversMax = 50;
const callsAtOnce = 5;
const requestId = 'check';

/** When a running schedule counts as late: the delays of its tasks prolong a run. A panel starts due runs every minute. */
const lateMs = 3 * 3_600_000;
/** When an idle schedule counts as late: a wrong time zone delays it by at least an hour. */
const lateIdleMs = 30 * 60_000;

export async function checkSchedules(settings: PanelSettings): Promise<(Finding & { part: string })[]> {
  const servers = await listServers(settings).catch(ignorePanel);
  const client = createPanelApi('client', settings);
  const lists = await mapWithin(callsAtOnce, servers, async (server) => {
    const path = `api/client/servers/${server}/schedules`;
    const call = { path, kind: 'GET schedules', requestId, bytesMax: listBytesMax };
    const schedules = await client.send(call, readSchedules).catch(ignorePanel);
    return schedules.map((schedule) => ({ server, schedule }));
  });
  const late = lists.flat().find(({ schedule }) => isLate(schedule, settings.clock()));
  if (!late) return [];
  const { server, schedule } = late;
  const message = `Schedule ${schedule.id} of server ${server} is active, but its next run was due at ${schedule.nextRunAt}: ${reasonOf(schedule)}`;
  return [{ part: 'Panel: schedules', state: 'note', message }];
}

const isLate = ({ isActive, isProcessing, nextRunAt }: StoredSchedule, now: number) =>
  isActive && nextRunAt !== null && now - Date.parse(nextRunAt) > (isProcessing ? lateMs : lateIdleMs);

const reasonOf = ({ isProcessing }: StoredSchedule) =>
  isProcessing
    ? 'one of its runs never ended; switch it off and on again'
    : "check that the panel's cron job and its queue worker run; Pterodactyl up to 1.11.11 also writes this time wrongly unless its APP_TIMEZONE is UTC";

const Servers = z.object({ data: z.array(z.object({ attributes: ListedServer })) });

async function listServers(settings: PanelSettings): Promise<string[]> {
  const path = `api/application/servers?per_page=${serversMax}`;
  const { data } = await createPanelApi('application', settings).send({ path, requestId }, (response) =>
    parseResponse(Servers, response),
  );
  const servers = data.map(({ attributes }) => attributes).filter(isReady);
  return servers.flatMap(({ identifier }) => pathSegment(identifier) ?? []);
}

function ignorePanel(failure: unknown): [] {
  if (failure instanceof PanelFailure || failure instanceof ApiError) return [];
  throw failure;
}
