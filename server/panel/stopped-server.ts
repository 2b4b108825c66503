/** Refuses commands to a server that is off, which Pterodactyl's node refuses, and Pelican accepts and drops. */
import { badRequest } from '../../routers/errors.ts';
import type { OwnedServer } from '../../routers/panel-port.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import type { LiveState } from './live-state.ts';

/** Asks for the state before a command, where the panel would accept it anyway. @throws badRequest */
export async function requireNotOff(
  server: OwnedServer,
  liveState: Pick<LiveState, 'isOff'>,
  requestId: string,
): Promise<void> {
  if (server.acceptsCommandsWhenOff && (await liveState.isOff(server, requestId).catch(rethrowFor('read'))))
    throw stoppedError();
}

/** A panel's codes for it: the first for a command, the second for one that begins a schedule. */
const codes: readonly unknown[] = ['HttpException', 'DaemonConnectionException'];

/** Turns a node's refusal of a command into bad_request. */
export function rethrowStopped(error: unknown): never {
  const { status, upstreamCode } = error instanceof PanelFailure ? error.details : {};
  throw error instanceof PanelFailure && status === 502 && codes.includes(upstreamCode)
    ? stoppedError(error)
    : error;
}

const stoppedError = (cause?: PanelFailure) => badRequest('The server is not running', cause);
