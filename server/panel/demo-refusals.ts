/** The refusals of the demo panel, in a real panel's words and envelope. */

interface DemoError {
  code: string;
  detail: string;
  meta?: object;
}

export class DemoRefusal extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, { code, detail, ...more }: DemoError) {
    super(detail);
    this.status = status;
    this.body = { errors: [{ code, status: String(status), detail, ...more }] };
  }
}

export const unauthenticated = () =>
  new DemoRefusal(401, { code: 'AuthenticationException', detail: 'Unauthenticated.' });

export const notFound = () =>
  new DemoRefusal(404, {
    code: 'NotFoundHttpException',
    detail: 'The requested resource could not be found on the server.',
  });

export const suspended = () =>
  new DemoRefusal(409, {
    code: 'ServerStateConflictException',
    detail: 'This server is currently suspended and the functionality requested is unavailable.',
  });

export const invalidSignal = () =>
  new DemoRefusal(422, {
    code: 'ValidationException',
    detail: 'The selected signal is invalid.',
    meta: { source_field: 'signal', rule: 'in' },
  });
