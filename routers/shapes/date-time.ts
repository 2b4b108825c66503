/** A moment on the wire: RFC 3339 in UTC with milliseconds. */
import { z } from 'zod';

export const dateTime = z.string().meta({ format: 'date-time', examples: ['2026-11-21T09:30:00.000Z'] });
