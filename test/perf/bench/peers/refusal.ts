/** A refusal of a hand-written service, and the envelope of the contract. */
export class Refusal extends Error {
  readonly statusCode: number;
  readonly apiCode: string;

  constructor(statusCode: number, apiCode: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.apiCode = apiCode;
  }
}

export const refusals = {
  missingKey: () => new Refusal(401, 'unauthorized', 'API key missing'),
  unknownKey: () => new Refusal(401, 'unauthorized', 'API key unknown'),
  scope: (scope: string) => new Refusal(403, 'insufficient_scope', `This key lacks the scope ${scope}`),
  notFound: (noun: string) => new Refusal(404, 'not_found', `${noun} not found`),
  closed: () => new Refusal(400, 'bad_request', 'The ticket is closed or archived and takes no replies'),
  rateLimited: (seconds: number) =>
    new Refusal(429, 'rate_limited', `Rate limit exceeded, retry in ${seconds} s`),
};

export const envelope = (code: string, message: string) => ({ error: { code, message } });
