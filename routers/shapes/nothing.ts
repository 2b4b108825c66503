/** The input of an operation that takes none: absent or an empty object, so that a stray field is refused everywhere. */
import { z } from 'zod';

export const Nothing = z.strictObject({}).optional();
