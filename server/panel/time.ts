/** Times as the panel writes them, with an offset, as this API shows them: RFC 3339 in UTC with milliseconds. */
import { z } from 'zod';

export const panelTime = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)))
  .transform((text) => new Date(text).toISOString());
