/** A call of the client API about one server, and what all of these have in common. */
import { type PanelAnswer, type PanelCall, refusal } from './answers.ts';
import type { ServerAttributes } from './attributes.ts';
import type { EmulatedPanel } from './emulated-panel.ts';

export interface ServerCall extends PanelCall {
  server: ServerAttributes;
  /** What follows the identifier in the path; empty for the server itself. */
  rest: string;
  query: URLSearchParams;
}

/** What makes the panel ask the server's node. */
export function onNode(
  { server }: Pick<ServerCall, 'server'>,
  { conditions, dialect }: EmulatedPanel,
  answer: () => PanelAnswer,
) {
  if (!conditions.deadNodes.has(server.node)) return answer();
  if (dialect === 'pelican') return refusal(500, 'ConnectionException', 'cURL error 7');
  return refusal(
    504,
    'DaemonConnectionException',
    'Could not establish a connection to the machine running this server. Please try again.',
  );
}

/** The field of a JSON body; undefined where the body is no JSON object. */
export function readField({ body }: PanelCall, name: string): unknown {
  try {
    return JSON.parse(body)[name];
  } catch {
    return undefined;
  }
}
