/** The count beside a list. */
import { z } from 'zod';

export const Summary = z
  .object({ total: z.int().describe('How many there are.') })
  .meta({ title: 'Summary' });
