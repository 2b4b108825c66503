/** The deliveries of a webhook: loaded when they are opened, and followed while one is about to be tried. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Delivery } from '../api.ts';
import { useAction, useShell } from '../shell.ts';
import { usePolling } from '../use-polling.ts';

const pageSize = 10;
const followMs = 1500;
/** A delivery that is tried again later than this is not waited for. */
const soonMs = 60_000;

export type DeliveryList = ReturnType<typeof useDeliveries>;

/** @param onTried called when there was another attempt, after which the webhook may fail, work again or be off */
export function useDeliveries(webhook_id: string, onTried: () => Promise<unknown>) {
  const { api } = useShell();
  const { failure, isBusy, run } = useAction();
  const [isOpen, setOpen] = useState(false);
  const [deliveries, setDeliveries] = useState<Delivery[] | null>(null);
  const [hasMore, setHasMore] = useState(false);
  const fetch = (before?: string) =>
    api.webhooks.listDeliveries.query({ webhook_id, limit: pageSize, ...(before && { before }) });
  const refresh = async () => {
    const page = await fetch();
    const merged = merge(page.deliveries, deliveries ?? []);
    setDeliveries(merged);
    if (merged.length === page.deliveries.length) setHasMore(page.has_more);
  };
  const loadMore = () =>
    run(async () => {
      const page = await fetch(deliveries?.at(-1)?.id);
      setDeliveries([...(deliveries ?? []), ...page.deliveries]);
      setHasMore(page.has_more);
    });
  const load = () => run(refresh);
  const isFollowed = isOpen && (deliveries?.some(isDueSoon) ?? false);
  usePolling(refresh, isFollowed ? followMs : null);
  const tried = deliveries?.reduce((sum, { attempts }) => sum + attempts.length, 0);
  // What ends at its attempt may turn the webhook off a moment later, and is followed until then.
  useProgress(tried === undefined ? null : `${tried} ${isFollowed}`, onTried);
  return {
    ...{ deliveries, hasMore, isOpen, isBusy, failure, load, loadMore },
    setOpen(isNowOpen: boolean) {
      setOpen(isNowOpen);
      if (isNowOpen && !isOpen) void load();
    },
    async open() {
      setOpen(true);
      await load();
    },
  };
}

/** The newest in place of what is shown of them; older ones that were loaded stay. */
function merge(newest: Delivery[], shown: Delivery[]): Delivery[] {
  const seam = shown.findIndex(({ id }) => id === newest.at(-1)?.id);
  return seam < 0 ? newest : [...newest, ...shown.slice(seam + 1)];
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
