/** How the database room speaks to the person who starts the service: in whole lines, with reasons, without traces. */

export type Say = (line: string) => void;

/** The service cannot start for a reason its operator can act on: the message is for them, whole as it is. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The last line of a failure's message, where commands and download libraries put the reason. */
export function lastLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split('\n').at(-1)?.trim() ?? message;
}
