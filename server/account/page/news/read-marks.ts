/** Remembers in the browser which announcements the user has read: the service does not store it. */
import { useState } from 'preact/hooks';
import type { Api } from '../api.ts';
import { useShell } from '../shell.ts';
import { tryStorage } from '../storage.ts';
import { useQuery } from '../use-query.ts';

const keptMax = 500;

const everyMs = 5 * 60_000;

export type ReadMarks = { isRead(id: number): boolean; mark(id: number): void };

/** @returns also how many of the newest announcements are unread */
export function useReadMarks(): ReadMarks & { unread: number } {
  const key = `read-announcements:${useShell().userId}`;
  const [read, setRead] = useState(() => recall(key));
  const { content } = useQuery(readNewest, { pace: () => everyMs });
  return {
    unread: content?.filter((id) => !read.includes(id)).length ?? 0,
    isRead: (id) => read.includes(id),
    mark(id) {
      if (read.includes(id)) return;
      const marked = [...new Set([...recall(key), ...read, id])].sort((one, other) => other - one);
      const kept = marked.slice(0, keptMax);
      setRead(kept);
      tryStorage('localStorage', (storage) => storage.setItem(key, JSON.stringify(kept)));
    },
  };
}

async function readNewest(api: Api): Promise<number[]> {
  const { announcements } = await api.announcements.list.query({});
  return announcements.map(({ id }) => id);
}

const recall = (key: string): number[] =>
  tryStorage('localStorage', (storage): number[] => {
    const kept: unknown = JSON.parse(storage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'number') : [];
  }) ?? [];
