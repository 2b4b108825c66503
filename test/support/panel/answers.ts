/** Parts of the answers of an emulated panel that the demo panel does not need. */
import { type ReceivedRequest, refusal } from '../../../server/panel/demo/answers.ts';
import { parseJson } from '../../../server/panel/parse-json.ts';

export const limitHeaders = ({ limit, remaining }: { limit: number; remaining: number }) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
});

export const accessDenied = () => refusal(403, 'AccessDeniedHttpException', 'This action is unauthorized.');
export const invalidBody = () => refusal(422, 'ValidationException');

/** Whether a body declared as JSON is invalid, which both panels check first. */
export const isMalformedJson = (call: ReceivedRequest) =>
  Boolean(call.headers['content-type']?.includes('json') && call.body) && parseJson(call.body) === undefined;

/** The page of a list that a query selects, with the panel's metadata. */
export function paginate<Item>(
  all: readonly Item[],
  query: URLSearchParams,
  sizes = { usual: 50, most: 100 },
) {
  const per_page = Math.min(Number(query.get('per_page') ?? sizes.usual), sizes.most);
  const current_page = Number(query.get('page') ?? 1);
  const data = all.slice((current_page - 1) * per_page, current_page * per_page);
  const total_pages = Math.max(1, Math.ceil(all.length / per_page));
  return { data, pagination: { total: all.length, count: data.length, per_page, current_page, total_pages } };
}
