/** Reads a list page by page, as the description's `x-pagination` says. */
import { GamehostError } from './errors.ts';
import type { Paged } from './methods.ts';
import type { Pagination } from './operations.ts';
import type { CallOptions } from './send.ts';

type Page = Record<string, unknown>;

export async function* readPages<Given, Item>(
  method: Paged<Given, Item>,
  given: Given | undefined,
  options: CallOptions | undefined,
): AsyncGenerator<Item, void> {
  const { list, parameter, size, length } = method.pagination;
  const read = method as unknown as (input: Page, options?: CallOptions) => Promise<Page>;
  // Sent with each call, so that a shorter page is the last one whatever the host's default is.
  const input: Page = { ...(size && { [size]: length }), ...given };
  for (let previous = ''; ; ) {
    const page = await read(input, options);
    const items = page[list] as Item[];
    const last = JSON.stringify(items.at(-1));
    const message = `The host answers the same page again, whatever ${parameter} is`;
    if (last === previous) throw new GamehostError({ code: 'unexpected_response', message });
    yield* items;
    const next = nextPage(method.pagination, page, input);
    if (next === undefined) return;
    previous = last;
    input[parameter] = next;
  }
}

/**
 * The value of the parameter for the page after this one; undefined on the last page.
 * @param input of this page
 */
export function nextPage(pagination: Pagination, page: Readonly<Page>, input: Readonly<Page>): unknown {
  const { list, parameter, field, size, more, length } = pagination;
  const items = page[list] as Page[];
  const last = items.at(-1);
  const isLast = more === null ? items.length < Number(input[size ?? ''] ?? length) : page[more] !== true;
  if (!last || isLast) return undefined;
  return field === null ? Number(input[parameter] ?? 1) + 1 : last[field];
}
