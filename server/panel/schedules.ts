/** Schedules of each server, from the client API. A write switches the schedule on last, so that none runs incomplete. */
import { ApiError, asApiError, badRequest, conflict, upstreamFailed } from '../../routers/errors.ts';
import {
  type OwnedServer,
  type Panel,
  type PanelSchedule,
  type ScheduleChange,
  type StoredSchedule,
  schedulesMax,
} from '../../routers/panel-port.ts';
import { isEqualTask } from '../../routers/servers/schedule-tasks.ts';
import { mayBeDone, PanelFailure, rethrowFor, rethrowWithoutBlamingNode, withOutcome } from './failures.ts';
import type { LiveState } from './live-state.ts';
import { expecting, type ReadResponse } from './panel-api.ts';
import { type CalledServer, isCallerAnswered, keptServersMax } from './panel-call.ts';
import { createCachedReads } from './reads.ts';
import { bodyOf, listBytesMax, readSchedule, readScheduleOf, readSchedules } from './schedule-body.ts';
import { planTaskCalls, type TaskCall } from './schedule-tasks.ts';
import { answerWithin, createWrite, type ServerApi, type ServerCall } from './server-api.ts';
import type { PanelSettings } from './settings.ts';
import { requireNotOff, rethrowStopped } from './stopped-server.ts';

type Schedules = Pick<
  Panel,
  'listSchedules' | 'getSchedule' | 'createSchedule' | 'replaceSchedule' | 'deleteSchedule' | 'runSchedule'
>;
type Creation = Parameters<Panel['createSchedule']>[1];
type Replacement = Parameters<Panel['replaceSchedule']>[1];

/** The longest list that is cached, in characters of JSON. */
const keptLengthMax = 64 * 1024;

interface ScheduleDeps {
  api: ServerApi;
  liveState: Pick<LiveState, 'isOff'>;
  settings: PanelSettings;
}

export function createSchedules({ api, liveState, settings }: ScheduleDeps): Schedules {
  const { clock, listTtlMs, liveWaitMs, scheduleWaitMs, writeWaitMs } = settings;
  const schedulesOf = (server: CalledServer, requestId: string) =>
    new ServerSchedules(api, { server, requestId });
  const lists = createLists(api, {
    clock,
    load: (server, requestId) => schedulesOf(server, requestId).list(),
  });
  const policy = { freshMs: listTtlMs, waitMs: liveWaitMs };
  const write = createWrite(settings, 'timedOut');
  const writeAtNode = createWrite(settings);
  const dropAfter = <Value>({ identifier }: OwnedServer, written: Promise<Value>) =>
    written.finally(() => lists.drop(identifier));
  const list: Schedules['listSchedules'] = (...call) =>
    lists.get(...call, policy).catch(rethrowWithoutBlamingNode);
  return {
    listSchedules: (...call) => list(...call).catch(rethrowFor('read')),
    getSchedule: (server, id, requestId) =>
      answerWithin(liveWaitMs, schedulesOf(server, requestId).get(id), 'timedOut').catch(rethrowFor('read')),
    createSchedule: write('schedule', scheduleWaitMs, (server, creation, requestId) =>
      dropAfter(server, schedulesOf(server, requestId).create(creation)),
    ),
    replaceSchedule: write('schedule', scheduleWaitMs, (server, replacement, requestId) =>
      dropAfter(server, schedulesOf(server, requestId).replace(replacement)),
    ),
    deleteSchedule: write('deletion', writeWaitMs, (server, id, { requestId, mayHaveHappened }) =>
      dropAfter(server, schedulesOf(server, requestId).delete(id, mayHaveHappened)),
    ),
    runSchedule: writeAtNode('run', writeWaitMs, async (server, schedule, requestId) => {
      const isCommand = beginsWithCommand(schedule);
      if (isCommand) await requireNotOff(server, liveState, requestId);
      const run = dropAfter(server, schedulesOf(server, requestId).run(schedule.id));
      await (isCommand ? run.catch(rethrowStopped) : run);
    }),
  };
}

const beginsWithCommand = ({ tasks: [first], onlyWhenOnline }: PanelSchedule) =>
  first?.action === 'command' && !first.continueOnFailure && !onlyWhenOnline;

interface Lists {
  clock(): number;
  load(server: OwnedServer, requestId: string): Promise<readonly StoredSchedule[]>;
}

function createLists(api: ServerApi, { clock, load }: Lists) {
  const lists = createCachedReads<OwnedServer, readonly StoredSchedule[]>({
    api,
    clock,
    entriesMax: keptServersMax,
    keyOf: ({ identifier }) => identifier,
    async load(server, requestId) {
      const list = await load(server, requestId);
      if (JSON.stringify(list).length > keptLengthMax) lists.drop(server.identifier);
      return list;
    },
  });
  return lists;
}

interface CallContext {
  server: CalledServer;
  requestId: string;
}

class ServerSchedules {
  readonly #api: ServerApi;
  readonly #context: CallContext;

  constructor(api: ServerApi, use: CallContext) {
    this.#api = api;
    this.#context = use;
  }

  list(): Promise<readonly StoredSchedule[]> {
    return this.#read('schedules', readSchedules);
  }

  get(id: number): Promise<StoredSchedule> {
    return this.#read(`schedules/${id}`, readSchedule);
  }

  #read<Value>(rest: string, read: ReadResponse<Value>): Promise<Value> {
    return this.#ask({ rest, bytesMax: listBytesMax }, read).catch(rethrowTooLong);
  }

  async create({ wanted, earlierTryAt }: Creation): Promise<PanelSchedule> {
    const existing = await this.list().catch(rethrowFor('read'));
    const made = earlierTryAt && existing.find((schedule) => isBegunBy(schedule, wanted, earlierTryAt));
    if (made) return isDone(made, wanted) ? made : this.replace({ current: made, wanted });
    if (existing.length >= schedulesMax)
      throw badRequest(`The server has ${schedulesMax} schedules, the maximum: delete one first`);
    const isNew = ({ id, name, isActive }: StoredSchedule) =>
      name === wanted.name && !isActive && !existing.some((other) => other.id === id);
    const current = await this.#write(wanted, null).catch((failure: unknown) => {
      if (!asApiError(failure).isOutcomeUnknown) throw failure;
      return this.#undo(failure, async () => (await this.list()).filter(isNew));
    });
    return this.#complete({ current, wanted })
      .catch(rethrowGone)
      .catch((failure: unknown) => this.#undo(failure, async () => [current]));
  }

  async replace({ current, wanted }: Replacement): Promise<PanelSchedule> {
    const switchOff = () => this.#write(wanted, current);
    const changed = await switchOff().catch((failure: unknown) => {
      throw asApiError(failure).isOutcomeUnknown
        ? withOutcome(failure, 'if it was, it is switched off')
        : failure;
    });
    const replacement = { current: { ...changed, tasks: current.tasks }, wanted };
    return this.#complete(replacement).catch(async (failure: unknown) => {
      if (isGone(failure)) throw failure;
      // The call that switches the schedule on may have succeeded without an answer.
      if (mayBeDone(failure)) await switchOff().catch(() => {});
      throw withOutcome(failure, 'the schedule is left switched off');
    });
  }

  async delete(id: number, mayHaveHappened: boolean): Promise<void> {
    await this.#ask({ rest: `schedules/${id}`, method: 'DELETE' }, readDeleted).catch((failure: unknown) => {
      if (!mayHaveHappened || !isGone(failure)) throw failure;
    });
  }

  /** The panel runs the schedule's first task before it answers. */
  run(id: number): Promise<void> {
    const accepted = expecting([202], 'Schedule', () => {});
    return this.#api.send({ ...this.#context, rest: `schedules/${id}/execute`, json: {} }, accepted);
  }

  /** Leaves the schedule switched off. */
  async #write(wanted: ScheduleChange, current: StoredSchedule | null): Promise<StoredSchedule> {
    const rest = current ? `schedules/${current.id}` : 'schedules';
    const read = readScheduleOf(current ? 'Schedule' : 'Server');
    const written = this.#send({ rest, json: bodyOf(wanted, false, current) }, read);
    return written.catch(rethrowInvalidTimes).catch(rethrowFor('schedule'));
  }

  async #complete({ current, wanted }: Replacement): Promise<PanelSchedule> {
    const rest = `schedules/${current.id}`;
    const completed = async () => {
      for (const call of planTaskCalls(current.tasks, wanted.tasks))
        await this.#send({ ...call, rest: `${rest}/${call.rest}` }, readChanged)
          .catch(rethrowInvalidTask)
          .catch(async (failure: unknown) => {
            // Either only the task is gone, or the whole schedule.
            if (call.rest !== 'tasks' && isGone(failure)) await this.#refuseChanged(current.id);
            throw failure;
          });
      return wanted.isActive
        ? this.#send({ rest, json: bodyOf(wanted, true, current) }, readScheduleOf('Schedule'))
        : current;
    };
    const last = await completed().catch(rethrowFor('restOfSchedule'));
    return { ...last, tasks: wanted.tasks };
  }

  async #send<Value>(call: TaskCall, read: ReadResponse<Value>): Promise<Value> {
    // The caller already has an answer, so another write may have begun.
    if (isCallerAnswered(this.#context.server))
      throw new PanelFailure('timedOut', { reason: 'the calls before took too long' });
    return this.#ask(call, read);
  }

  #ask<Value>(call: Omit<ServerCall, keyof CallContext>, read: ReadResponse<Value>): Promise<Value> {
    return this.#api
      .send({ ...this.#context, ...call, needsNode: false }, read)
      .catch(rethrowWithoutBlamingNode);
  }

  async #refuseChanged(id: number): Promise<never> {
    await this.#read(`schedules/${id}`, readSchedule);
    throw conflict("The schedule's tasks were changed in the panel meanwhile");
  }

  async #undo(failure: unknown, find: () => Promise<readonly StoredSchedule[]>): Promise<never> {
    try {
      for (const { id } of await find()) await this.delete(id, true);
    } catch {
      throw withOutcome(failure, 'the incomplete schedule could not be deleted, and stays switched off');
    }
    throw withOutcome(failure, 'nothing is left of it');
  }
}

/** The panel's clock may differ from ours, and a call may wait. */
const creationToleranceMs = 60_000;

const isBegunBy = (schedule: StoredSchedule, wanted: ScheduleChange, earlierTryAt: Date) =>
  schedule.name === wanted.name &&
  schedule.cron === wanted.cron &&
  schedule.onlyWhenOnline === wanted.onlyWhenOnline &&
  schedule.tasks.every((task, index) => isEqualTask(task, wanted.tasks[index])) &&
  Math.abs(Date.parse(schedule.createdAt ?? '') - earlierTryAt.getTime()) <= creationToleranceMs;

const isDone = ({ tasks, isActive }: StoredSchedule, wanted: ScheduleChange) =>
  tasks.length === wanted.tasks.length && isActive === wanted.isActive;

function rethrowTooLong(failure: unknown): never {
  const isTooLong = failure instanceof PanelFailure && failure.kind === 'tooLong';
  throw isTooLong ? new PanelFailure('tooManySchedules', failure.details) : failure;
}

function rethrowInvalidTimes(failure: unknown): never {
  const isRefused = failure instanceof PanelFailure && failure.kind === 'invalid';
  throw isRefused ? badRequest('cron must be an expression that the panel accepts', failure) : failure;
}

/** The cached list of servers may show an old limit of backups, and a panel may accept fewer than ten tasks. */
function rethrowInvalidTask(failure: unknown): never {
  const code = failure instanceof PanelFailure && failure.details.upstreamCode;
  if (code === 'HttpForbiddenException') throw badRequest('This server is not allowed any backups', failure);
  throw code === 'ServiceLimitExceededException'
    ? badRequest('tasks has more entries than the panel accepts: remove some', failure)
    : failure;
}

const isGone = (failure: unknown) => failure instanceof ApiError && failure.apiCode === 'not_found';

/** A new schedule existed after the first call, so a 404 means that it was deleted meanwhile. */
function rethrowGone(failure: unknown): never {
  throw isGone(failure)
    ? upstreamFailed('The panel no longer has the schedule', { cause: failure })
    : failure;
}

const readDeleted = expecting([204], 'Schedule', () => {});
const readChanged = expecting([200, 201, 204], 'Schedule', () => {});
