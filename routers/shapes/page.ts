/** Paging of a list (contract, section 8). */
import { z } from 'zod';
import { integer } from './integer.ts';

export const pageSizeMax = 100;

export const PageQuery = z.strictObject({
  page: integer().min(1).default(1).describe('The page to show, counted from 1.'),
  per_page: integer().min(1).max(pageSizeMax).default(20).describe('Items on a page.'),
});
