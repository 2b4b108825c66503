/** The demo panel's errors, with a real panel's messages and envelope. */

interface UpstreamError {
  code: string;
  detail: string;
  meta?: object;
}

export class DemoError extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, { code, detail, ...more }: UpstreamError) {
    super(detail);
    this.status = status;
    this.body = { errors: [{ code, status: String(status), detail, ...more }] };
  }
}

export const unauthenticated = () =>
  new DemoError(401, { code: 'AuthenticationException', detail: 'Unauthenticated.' });

export const notFound = () =>
  new DemoError(404, {
    code: 'NotFoundHttpException',
    detail: 'The requested resource could not be found on the server.',
  });

export const suspended = () =>
  new DemoError(409, {
    code: 'ServerStateConflictException',
    detail: 'This server is currently suspended and the functionality requested is unavailable.',
  });

export const tooManyBackups = () =>
  new DemoError(400, {
    code: 'TooManyBackupsException',
    detail: 'Cannot create a new backup, this server has reached its limit.',
  });

/** Pterodactyl's answer to a command for a stopped server. */
export const notRunning = () =>
  new DemoError(502, {
    code: 'HttpException',
    detail: 'Server must be online in order to send commands.',
  });

export const invalidCommand = () =>
  new DemoError(422, {
    code: 'ValidationException',
    detail: 'The command field is required.',
    meta: { source_field: 'command', rule: 'required' },
  });

export const invalidSignal = () =>
  new DemoError(422, {
    code: 'ValidationException',
    detail: 'The selected signal is invalid.',
    meta: { source_field: 'signal', rule: 'in' },
  });
