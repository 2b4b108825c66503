/** Receives one answer of the panel: bounded in size, free of our keys, its JSON and its wish to wait read out. */
import { type CancelableRequest, CancelError, RequestError, type Response, TimeoutError } from 'got';
import type { Clock } from '../../routers/ports.ts';
import { PanelFailure } from './failures.ts';
import type { PanelSettings } from './options.ts';

export interface PanelAnswer {
  status: number;
  /** The parsed JSON; undefined when the answer is none. */
  body: unknown;
  /** How long the panel asks us to wait; 0 when it does not. */
  waitMs: number;
}

/** Throws PanelFailure when the answer does not come, or is longer than it may be. */
export async function receive(
  request: CancelableRequest<Response<unknown>>,
  settings: PanelSettings,
): Promise<PanelAnswer> {
  request.on('downloadProgress', ({ transferred }) => {
    if (transferred > settings.answerBytesMax) request.cancel();
  });
  const { statusCode, headers, rawBody } = await request.catch((error: unknown) => {
    throw explainLoss(error, settings);
  });
  const text = withoutKeys(Buffer.from(rawBody).toString(), settings);
  const waitMs = Math.min(readRetryAfter(headers['retry-after'], settings.clock), settings.waitMsMax);
  return { status: statusCode, body: parseJson(text), waitMs };
}

/** A panel in debug mode repeats our request headers, and what it says may be logged. */
const withoutKeys = (text: string, { applicationKey, clientKey }: PanelSettings) =>
  text.replaceAll(applicationKey, '[key]').replaceAll(clientKey, '[key]');

function parseJson(text: string): unknown {
  if (text === '') return undefined; // as every signal is answered; a failure of JSON.parse is dear
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds or an HTTP date (RFC 9110, 10.2.3), as milliseconds from now. */
function readRetryAfter(header: string | undefined, clock: Clock) {
  if (header === undefined) return 0;
  const seconds = Number(header);
  const waitMs = Number.isNaN(seconds) ? Date.parse(header) - clock() : seconds * 1000;
  return Number.isNaN(waitMs) ? 0 : Math.max(waitMs, 0);
}

/** What Node 24 says past got, in the middle of its retries, when nobody listens. */
const neverConnected = 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION';

const isNeverConnected = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === neverConnected;

/** got's own errors carry the request's headers, and with them the key: they stop here. */
function explainLoss(error: unknown, { url }: PanelSettings) {
  if (isNeverConnected(error))
    return new PanelFailure('unreachable', {
      transportCode: neverConnected,
      transportMessage: `no connection to ${new URL(url).host}`,
    });
  if (!(error instanceof RequestError)) return error;
  if (error instanceof CancelError)
    return new PanelFailure('unreadable', { reason: 'the answer is too long' });
  const details = { transportCode: error.code, transportMessage: error.message };
  if (error instanceof TimeoutError) return new PanelFailure('timedOut', details);
  if (error.code.startsWith('HPE_')) return new PanelFailure('unreadable', details);
  const wasSent = error.timings?.upload !== undefined;
  return new PanelFailure(wasSent ? 'cutOff' : 'unreachable', details);
}
