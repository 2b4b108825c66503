/** The deliveries of a webhook: loaded when they are opened, and followed while one is about to be tried. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Api, Delivery } from '../api.ts';
import { type Page, usePages } from '../use-pages.ts';

const pageSize = 10;
const followMs = 1500;
/** A delivery that is tried again later than this is not waited for. */
const soonMs = 60_000;

export type DeliveryList = ReturnType<typeof useDeliveries>;

/** @param onTried called when there was another attempt, after which the webhook may fail, work again or be off */
export function useDeliveries(webhook_id: string, onTried: () => Promise<unknown>) {
  const [isOpen, setOpen] = useState(false);
  const read = async (api: Api, last?: Delivery): Promise<Page<Delivery>> => {
    const request = { webhook_id, limit: pageSize, ...(last && { before: last.id }) };
    const { deliveries, has_more } = await api.webhooks.listDeliveries.query(request);
    return { items: deliveries, hasMore: has_more };
  };
  const isFollowed = (page: Page<Delivery> | null) => isOpen && (page?.items.some(isDueSoon) ?? false);
  const pages = usePages(read, {
    isOn: false,
    pace: (page) => (isFollowed(page) ? followMs : null),
    merge,
  });
  const tried = pages.content?.items.reduce((sum, { attempts }) => sum + attempts.length, 0);
  // What ends at its attempt may turn the webhook off a moment later, and is followed until then.
  useProgress(tried === undefined ? null : `${tried} ${isFollowed(pages.content)}`, onTried);
  return {
    pages,
    isOpen,
    setOpen(isNowOpen: boolean) {
      setOpen(isNowOpen);
      if (isNowOpen && !isOpen) void pages.reload();
    },
    async open() {
      setOpen(true);
      await pages.reload();
    },
  };
}

/** The newest in place of what is shown of them; older ones that were loaded stay. */
function merge(newest: Page<Delivery>, shown: Page<Delivery>): Page<Delivery> {
  const seam = shown.items.findIndex(({ id }) => id === newest.items.at(-1)?.id);
  const older = seam < 0 ? [] : shown.items.slice(seam + 1);
  return older.length === 0 ? newest : { ...shown, items: [...newest.items, ...older] };
}

const isDueSoon = ({ next_attempt_at }: Delivery) =>
  next_attempt_at !== null && Date.parse(next_attempt_at) - Date.now() < soonMs;

/** @param progress null before deliveries were loaded */
function useProgress(progress: string | null, onChange: () => Promise<unknown>): void {
  const before = useRef(progress);
  useEffect(() => {
    if (before.current !== null && before.current !== progress) void onChange();
    before.current = progress;
  }, [progress]);
}
