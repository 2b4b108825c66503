/** How the document tells of the Idempotency-Key, which every write takes. */
import { idempotencyKeyLengthMax } from '../routers/idempotency.ts';

export const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes it safe to send the request again: a new random text, such as a UUID, for each thing to be done. What is ' +
    'asked for under it is done once, and the first answer is given again for 24 hours, with `Idempotency-Replayed`. ' +
    'The same text with another request is a 400. It counts for this API key alone. Kept are successes, and a ' +
    '502 that leaves open whether it was done; after any other failure, or none, send it again.',
  required: false,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: idempotencyKeyLengthMax,
    pattern: '^[\\x20-\\x7E]+$',
  },
  example: '5f0c7d1e-3b1f-4a52-9a3c-0d6c1f6b2a11',
};
