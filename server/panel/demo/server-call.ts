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
  return noAnswerOfNode(dialect);
}

export function noAnswerOfNode(dialect: EmulatedPanel['dialect']) {
  if (dialect === 'pelican') return unexpected('ConnectionException');
  return refusal(
    504,
    'DaemonConnectionException',
    'Could not establish a connection to the machine running this server. Please try again.',
  );
}

/** Pelican's answer to whatever goes wrong on a node: the code alone tells. */
export const unexpected = (code: string) =>
  refusal(500, code, 'An unexpected error was encountered while processing this request, please try again.');

/** As both panels see it before anything else. */
export const isMalformedJson = (call: PanelCall) =>
  Boolean(call.headers['content-type']?.includes('json') && call.body) && parseJson(call) === undefined;

function parseJson({ body }: PanelCall): Record<string, unknown> | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The field of a JSON body; undefined where the body is no JSON object. */
export const readField = (call: PanelCall, name: string): unknown => parseJson(call)?.[name];
