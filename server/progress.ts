/** The output of a start on the terminal: progress lines, and errors with a reason and no stack. */

export type ReportProgress = (line: string) => void;

/** The service cannot start for a reason that the operator can fix; the message says how to fix it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The last line of an error's message, where commands and download libraries put the reason. */
export function lastLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split('\n').at(-1)?.trim() ?? message;
}
