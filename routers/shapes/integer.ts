/** A whole number from outside; whatever is none is refused in the same words, be it text or a fraction. */
import { z } from 'zod';

export const integer = () =>
  z.int({
    error: ({ code, input }) =>
      code === 'invalid_type' && input !== undefined ? 'must be an integer' : undefined,
  });
