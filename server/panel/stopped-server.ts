/** Refuses commands to a server that is off: Pterodactyl's node refuses them, but Pelican accepts and drops them. */
import { serverNotRunning } from '../../routers/errors.ts';
import type { OwnedServer } from '../../routers/panel-port.ts';
import { PanelFailure, rethrowFor } from './failures.ts';
import type { LiveState } from './live-state.ts';

/** Checks only on a panel that would accept the command anyway. */
export async function requireNotOff(
  server: OwnedServer,
  liveState: Pick<LiveState, 'isOff'>,
  requestId: string,
): Promise<void> {
  if (server.acceptsCommandsWhenOff && (await liveState.isOff(server, requestId).catch(rethrowFor('read'))))
    throw serverNotRunning();
}

/** The panel's codes for a stopped server: the first for a command, the second for a command that begins a schedule. */
const codes: readonly unknown[] = ['HttpException', 'DaemonConnectionException'];

export function rethrowStopped(error: unknown): never {
  const { status, upstreamCode } = error instanceof PanelFailure ? error.details : {};
  throw error instanceof PanelFailure && status === 502 && codes.includes(upstreamCode)
    ? serverNotRunning(error)
    : error;
}
