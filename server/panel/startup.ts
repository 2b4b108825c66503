/** How each server starts, from the client API. The panel takes one variable a call: a change that fails midway is put back. */
import { z } from 'zod';
import { type ApiError, badRequest, imageSetByHost } from '../../routers/errors.ts';
import type {
  Panel,
  PanelStartup,
  PanelVariable,
  StartupChange,
  StartupDifference,
} from '../../routers/panel-port.ts';
import { cleanSingleLine, cleanText } from '../../routers/schemas/text.ts';
import { readVariableRules } from '../../routers/servers/variable-rules.ts';
import type { Backups } from './backups.ts';
import {
  isLate,
  mayBeDone,
  PanelFailure,
  rethrowFor,
  rethrowWithoutBlamingNode,
  withOutcome,
} from './failures.ts';
import type { LiveState } from './live-state.ts';
import { expecting, parseBody, type ReadResponse } from './panel-api.ts';
import type { CalledServer } from './panel-call.ts';
import { answerWithin, createWrite, type ServerApi, type ServerCall } from './server-api.ts';
import {
  afterFailedInstallation,
  listedCondition,
  requireAvailableByView,
  type ServerCondition,
} from './server-condition.ts';
import type { PanelSettings } from './settings.ts';

interface StartupDeps {
  api: ServerApi;
  backups: Backups;
  liveState: Pick<LiveState, 'begin'>;
  serverCondition: ServerCondition;
  settings: PanelSettings;
}

interface CallContext {
  server: CalledServer;
  requestId: string;
}

export function createStartups(deps: StartupDeps): Pick<Panel, 'getStartup' | 'changeStartup' | 'reinstall'> {
  const { liveWaitMs, startupWaitMs, putBackMs, writeWaitMs } = deps.settings;
  const write = createWrite(deps.settings, 'timedOut');
  const writeAtNode = createWrite(deps.settings);
  return {
    getStartup: (server, requestId) =>
      answerWithin(liveWaitMs, read(deps, { server, requestId }), 'timedOut').catch(rethrowFor('read')),
    changeStartup: write('startup', startupWaitMs + putBackMs, (server, change, requestId) => {
      // The lease is kept until putting back has ended, even if the caller has its answer before.
      return new Promise((resolve, reject) => {
        const context = { server, requestId, answer: reject };
        change.runExclusively(() => makeChange(deps, context, change)).then(resolve, reject);
      });
    }),
    reinstall: writeAtNode('reinstallation', writeWaitMs, (server, { backup, runExclusively }, requestId) =>
      runExclusively(() => reinstall(deps, { server, requestId }, backup)),
    ),
  };
}

/** Pelican lets our key read the startup of a server that its owner cannot reach, so its conditions are checked here. */
async function read({ api, serverCondition }: StartupDeps, context: CallContext): Promise<PanelStartup> {
  serverCondition.refuseListed(afterFailedInstallation(context.server));
  const send = <Value>(call: Partial<ServerCall>, parse: (body: unknown) => Value) =>
    sendTo(api, { ...context, ...call }, expecting([200], 'Server', parse));
  const { image } = await send({}, parseView);
  const startup = await send({ rest: 'startup', bytesMax }, (body) => parseBody(Startup, body));
  return { ...startup, image, canChangeImage: startup.images.some((offered) => offered.image === image) };
}

const sendTo = <Value>(api: ServerApi, call: ServerCall, parse: ReadResponse<Value>): Promise<Value> =>
  api.send({ ...call, needsNode: false }, parse).catch(rethrowWithoutBlamingNode);

/** A panel in debug mode repeats the value in its errors, which are logged. */
function rethrowWithoutDetail(error: unknown): never {
  if (!(error instanceof PanelFailure)) throw error;
  const { upstreamDetail: _, ...details } = error.details;
  throw new PanelFailure(error.kind, details, error.retryAfterMs);
}

/** One call of a change. */
interface Step {
  field: string;
  make(context: CallContext): Promise<void>;
  putBack(context: CallContext): Promise<void>;
}

function planSteps(
  { api }: StartupDeps,
  current: PanelStartup,
  { values, image }: StartupDifference,
): Step[] {
  const done = expecting([200, 204], 'Server', () => {});
  const put = (rest: string, json: object) => (context: CallContext) =>
    sendTo(api, { ...context, rest, method: 'PUT', json }, done).catch(rethrowWithoutDetail);
  const putValue = (key: string, value: string) => put('startup/variable', { key, value });
  const putImage = (docker_image: string) => put('settings/docker-image', { docker_image });
  const steps = current.variables.flatMap(({ name, value: before }) => {
    const after = values.get(name);
    if (after === undefined) return [];
    return { field: `variables.${name}`, make: putValue(name, after), putBack: putValue(name, before) };
  });
  if (image === null) return steps;
  return [...steps, { field: 'image', make: putImage(image), putBack: putImage(current.image) }];
}

interface ChangeContext extends CallContext {
  /** Answers the caller with a failure while putting back goes on. */
  answer(failure: ApiError): void;
}

async function makeChange(
  deps: StartupDeps,
  { answer, ...context }: ChangeContext,
  { decide }: StartupChange,
): Promise<PanelStartup> {
  const endsAt = context.server.write?.endsAt ?? Number.POSITIVE_INFINITY;
  const { putBackMs } = deps.settings;
  const mustGo = { ...context, server: { ...context.server, mustGo: true as const } };
  const current = await read(deps, context);
  const made: Step[] = [];
  for (const step of planSteps(deps, current, decide(current))) {
    const leftMs = endsAt - putBackMs - performance.now();
    const [result] = await Promise.allSettled([makeWithin(leftMs, step, context)]);
    if (result.status === 'fulfilled' || mayBeDone(result.reason)) made.push(step);
    if (result.status === 'rejected')
      throw await putBack(made, result.reason, { ...mustGo, answer, waitMs: putBackMs - spareMs });
  }
  if (made.length === 0) return current;
  const readMs = endsAt - spareMs - performance.now();
  const again = answerWithin(readMs, read(deps, mustGo), 'timedOut').catch(rethrowFor('read'));
  return again.catch((failure: unknown) => Promise.reject(withOutcome(failure, 'the change was made')));
}

async function makeWithin(ms: number, { field, make }: Step, context: CallContext): Promise<void> {
  const server = { ...context.server, givesUpAt: performance.now() + ms };
  const made = answerWithin(ms, make({ ...context, server }), 'timedOut');
  await made.catch((failure: unknown) => rethrowRefused(field, failure));
}

/** How long before its wait ends the caller is answered. */
const spareMs = 500;

/** @returns `failure`, with the fields that may have stayed changed */
async function putBack(
  steps: readonly Step[],
  failure: unknown,
  { answer, waitMs, ...context }: ChangeContext & { waitMs: number },
): Promise<ApiError> {
  const changed = new Set(steps);
  const late = isLate(failure) ? steps.at(-1) : null;
  const describe = () => {
    const fields = [...changed].map(({ field }) => field).join(', ');
    return withOutcome(failure, fields ? `${fields} may have stayed changed` : 'nothing was changed');
  };
  const answerAt = performance.now() + waitMs;
  const timer = setTimeout(() => answer(describe()), waitMs);
  for (const step of steps.toReversed())
    if (performance.now() < answerAt)
      await step.putBack(context).then(
        () => step !== late && changed.delete(step),
        () => {},
      );
  clearTimeout(timer);
  return describe();
}

/** The panel itself would reinstall a server while it is backed up, and without any backup. */
async function reinstall(
  { api, backups, liveState, serverCondition }: StartupDeps,
  { server, requestId }: CallContext,
  backup: string | null,
): Promise<void> {
  const { identifier, ownerId } = server;
  await serverCondition.refuse(afterFailedInstallation(server), requestId);
  await backups.requireReinstallable(server, backup, requestId).catch((failure: unknown) => {
    // After a failed installation, a panel may refuse to list backups, and none can be in progress.
    const isUnlisted = failure instanceof PanelFailure && failure.kind === 'installing';
    if (backup !== null || !isUnlisted || listedCondition(server) !== 'installFailed')
      rethrowFor('read')(failure);
  });
  const accepted = expecting([202], 'Server', () => {});
  const inTime = { ...server, givesUpAt: server.write?.endsAt ?? Number.POSITIVE_INFINITY };
  await api
    .send({ server: inTime, requestId, rest: 'settings/reinstall', json: {} }, accepted)
    .finally(() => liveState.begin({ identifier, ownerId, isAccepted: false }))
    .catch(rethrowFor('reinstallation'));
}

/** The panel's own checks come after ours, and may be stricter. */
function rethrowRefused(field: string, failure: unknown): never {
  if (!(failure instanceof PanelFailure) || failure.kind !== 'invalid') return rethrowFor('startup')(failure);
  if (field === 'image' && failure.details.status === 400) throw imageSetByHost();
  throw badRequest(`${field} must have a value that the panel accepts`, failure);
}

/** The longest startup that is read: no game has that many variables. */
const bytesMax = 512 * 1024;

const View = z.object({ attributes: z.object({ docker_image: z.string() }) });

function parseView(body: unknown) {
  requireAvailableByView(body);
  return { image: parseBody(View, body).attributes.docker_image };
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const VariableItem = z
  .object({
    attributes: z.object({
      name: text,
      description: text,
      env_variable: z.string(),
      default_value: text,
      server_value: z.string().nullish(),
      is_editable: z.boolean().catch(false),
      rules: text,
    }),
  })
  .transform(
    ({ attributes }): PanelVariable => ({
      name: attributes.env_variable,
      title: cleanSingleLine(attributes.name),
      description: cleanText(attributes.description),
      value: attributes.server_value ?? attributes.default_value,
      default: attributes.default_value,
      isEditable: attributes.is_editable,
      rules: readVariableRules(attributes.rules),
    }),
  );

/** PHP writes a map as a list if it is empty, or if its names are 0, 1 and so on. */
const Images = z.union([z.array(z.string()), z.record(z.string(), z.string())]);

const Startup = z
  .object({
    data: z.array(VariableItem),
    meta: z.object({ startup_command: text, docker_images: Images.catch({}) }),
  })
  .transform(({ data, meta }) => ({
    command: cleanText(meta.startup_command),
    images: Object.entries(meta.docker_images).map(([name, image]) => ({
      name: cleanSingleLine(name),
      image,
    })),
    variables: data,
  }));
