/** The host's announcements, unread ones first. Opening one marks it as read. */
import { useRef } from 'preact/hooks';
import type { Announcement, Api } from '../api.ts';
import { ListView } from '../list-view.tsx';
import { linked } from '../text.tsx';
import { Time } from '../time.tsx';
import { itemsIn, usePages } from '../use-query.ts';
import { type BlankProps, View } from '../view.tsx';
import type { ReadMarks } from './read-marks.ts';

const pageSize = 20;

export function NewsView({ marks }: { marks: ReadMarks }) {
  const pages = useAnnouncements(marks);
  return (
    <View title="News" lede="Announcements from your host to all customers.">
      <ListView
        query={pages}
        items={itemsIn}
        label="Announcements"
        more="Show older announcements"
        blank={noNews}
        item={(item: Announcement) => <AnnouncementItem key={item.id} item={item} marks={marks} />}
      />
    </View>
  );
}

/** Sorts each page once, unread announcements first: one that the user then reads stays in its place. */
function useAnnouncements({ isRead }: ReadMarks) {
  const count = useRef(0);
  const read = async (api: Api, last?: Announcement) => {
    const page = last ? count.current + 1 : 1;
    const { announcements } = await api.announcements.list.query({ page, per_page: pageSize });
    count.current = page;
    const ordered = announcements.toSorted((one, other) => Number(isRead(one.id)) - Number(isRead(other.id)));
    return { items: ordered, hasMore: announcements.length === pageSize };
  };
  return usePages(read);
}

type ItemProps = { item: Announcement; marks: ReadMarks; isOpen?: boolean };

export function AnnouncementItem({ item, marks, isOpen = false }: ItemProps) {
  const isRead = marks.isRead(item.id);
  const onToggle = ({ currentTarget }: { currentTarget: HTMLDetailsElement }) => {
    if (currentTarget.open) marks.mark(item.id);
  };
  return (
    <li tabIndex={-1}>
      <details class={isRead ? 'announcement' : 'announcement is-unread'} open={isOpen} onToggle={onToggle}>
        <summary>
          <span class="announcement-title" dir="auto">
            {item.title}
          </span>
          {!isRead && <span class="badge is-accent">New</span>}
          {item.tag && (
            <span class="badge is-cut" dir="auto">
              {item.tag}
            </span>
          )}
          {item.published_at && <Time iso={item.published_at} />}
        </summary>
        <AnnouncementText announcement={item} />
      </details>
    </li>
  );
}

const noNews: BlankProps = {
  icon: 'news',
  title: 'No announcements',
  text: (
    <>
      Your host's announcements appear here. Programs can get them by webhook:{' '}
      <a href="/api/v1/docs#webhooks">how to receive them</a>
    </>
  ),
};

type TextProps = { announcement: { summary: string; message: string | null } };

/** The text as customers see it: plain, with web addresses as links. */
export const AnnouncementText = ({ announcement: { summary, message } }: TextProps) => (
  <>
    {summary && (
      <p class="lede" dir="auto">
        {linked(summary)}
      </p>
    )}
    {message && (
      <p class="message-text" dir="auto">
        {linked(message)}
      </p>
    )}
  </>
);
