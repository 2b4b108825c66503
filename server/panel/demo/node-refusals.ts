/** How a panel tells that a server's node has refused a call. */
import { randomUUID } from 'node:crypto';
import { type PanelAnswer, refusal } from './answers.ts';
import type { EmulatedPanel } from './emulated-panel.ts';
import { unexpected } from './server-call.ts';

export interface NodeRefusal {
  /** The node's own. */
  status: number;
  /** What the node says; nothing of a failure of its own. */
  detail?: string;
  /** Pelican tells refusals of these apart. */
  of?: 'reading' | 'writing';
}

const pelicanCodes: Partial<Record<string, string>> = {
  'reading 404': 'FileNotFoundException',
  'reading 400': 'FileNotEditableException',
  'writing 400': 'FileExistsException',
};

export function refusedByNode(
  { status, detail, of }: NodeRefusal,
  { dialect }: Pick<EmulatedPanel, 'dialect'>,
): PanelAnswer {
  if (dialect === 'pelican') return unexpected(pelicanCodes[`${of} ${status}`] ?? 'RequestException');
  // A node that breaks off had begun with 200.
  const code = status === 502 ? 200 : status;
  const told =
    detail === undefined
      ? `There was an error while communicating with the machine running this server. This error has been logged, please try again. (code: ${code}) (request_id: ${randomUUID()})`
      : `An error occurred on the remote host: ${detail}. (request id: ${randomUUID()})`;
  return refusal(status, 'DaemonConnectionException', told);
}
