/** The Idempotency-Key header that every write accepts. Without an example: API clients import it as a constant. */
import { idempotencyKeyLengthMax } from '../../routers/idempotency.ts';

export const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes retries safe: a new random text, such as a UUID, for each write. The write is done once, and retries with ' +
    'the same text get the first response for 24 hours, with `Idempotency-Replayed`. The same text with another ' +
    'request is a 400. It is scoped to the API key. Stored are successes, and a 502 that leaves open whether the ' +
    'write happened; after any other error, or no response, send the request again.',
  required: false,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: idempotencyKeyLengthMax,
    pattern: '^[\\x20-\\x7E]+$',
  },
};
