/** The host's announcements with drafts and scheduled ones: written, previewed, published and taken back. */
import type { Api, ManagedAnnouncement } from '../api.ts';
import { ActionButton } from '../button.tsx';
import { useDialog } from '../dialog.tsx';
import { Item } from '../item.tsx';
import { AnnouncementText } from '../news/announcement-text.tsx';
import { PagedList, ResourceView } from '../resource-view.tsx';
import { momentOf, Time } from '../time.tsx';
import { type Page, usePages } from '../use-pages.ts';
import { Blank, CreateButton, View } from '../view.tsx';
import {
  DeleteDialog,
  EditDialog,
  PublishDialog,
  ScheduleDialog,
  UnpublishDialog,
  WriteDialog,
} from './announcement-dialogs.tsx';
import { type AnnouncementProps, isScheduled } from './announcement-state.ts';

const pageSize = 50;

async function readAnnouncements(api: Api, last?: ManagedAnnouncement): Promise<Page<ManagedAnnouncement>> {
  const request = { ...(last && { before: last.id }), limit: pageSize };
  const { announcements } = await api.admin.listAnnouncements.query(request);
  return { items: announcements, hasMore: announcements.length === pageSize };
}

export function AnnouncementsView() {
  const pages = usePages(readAnnouncements);
  const { dialog, show } = useDialog();
  const { content, reload: onChanged } = pages;
  const write = () => show(<WriteDialog onChanged={onChanged} />);
  return (
    <View
      title="Announcements"
      lede="Published ones are shown to all customers, and webhooks tell them."
      action={<CreateButton label="Write one" isDisabled={!content} onClick={write} />}
    >
      <ResourceView of={pages}>
        {({ items }) =>
          items.length === 0 ? (
            <NoAnnouncements onWrite={write} />
          ) : (
            <PagedList of={pages} class="panel" label="Announcements" more="Show older announcements">
              {(item) => <AnnouncementItem key={item.id} {...{ item, onChanged }} />}
            </PagedList>
          )
        }
      </ResourceView>
      {dialog}
    </View>
  );
}

const AnnouncementItem = ({ item, onChanged }: AnnouncementProps) => (
  <Item
    title={item.title}
    about={
      <>
        <StateBadge item={item} />
        {item.tag && (
          <span class="badge" dir="auto">
            {item.tag}
          </span>
        )}
        {item.show_in_ribbon && <span class="badge">In the ribbon</span>}
        <p class="note">
          Written <Time iso={item.created_at} isRelative />
        </p>
      </>
    }
    actions={<Actions {...{ item, onChanged }} />}
  >
    <details class="restrictions">
      <summary>
        Text<span class="visually-hidden"> of {item.title}</span>
      </summary>
      <AnnouncementText announcement={item} />
    </details>
  </Item>
);

function StateBadge({ item }: { item: ManagedAnnouncement }) {
  const { published_at } = item;
  if (published_at === null) return <span class="badge is-warning">Draft</span>;
  if (isScheduled(item)) return <span class="badge is-accent">Scheduled for {momentOf(published_at)}</span>;
  return <span class="badge is-success">Published {momentOf(published_at)}</span>;
}

function Actions({ item, onChanged }: AnnouncementProps) {
  const { dialog, show } = useDialog();
  const about = item.title;
  const props = { item, onChanged };
  const isPublished = item.published_at !== null && !isScheduled(item);
  return (
    <>
      {!isPublished && (
        <>
          <ActionButton
            {...{ icon: 'send', label: 'Publish', about }}
            onAct={() => show(<PublishDialog {...props} />)}
          />
          <ActionButton {...{ label: 'Schedule', about }} onAct={() => show(<ScheduleDialog {...props} />)} />
        </>
      )}
      <ActionButton
        {...{ icon: 'edit', label: 'Edit', about }}
        onAct={() => show(<EditDialog {...props} />)}
      />
      {item.published_at !== null && (
        <ActionButton
          {...{ icon: 'stop', label: 'Make a draft', about: `of ${about}` }}
          onAct={() => show(<UnpublishDialog {...props} />)}
        />
      )}
      <ActionButton
        {...{ icon: 'trash', label: 'Delete', about }}
        isDangerous
        onAct={() => show(<DeleteDialog {...props} />)}
      />
      {dialog}
    </>
  );
}

const NoAnnouncements = ({ onWrite }: { onWrite: () => void }) => (
  <Blank
    icon="news"
    title="No announcements"
    text="Write the first one: it stays a draft until you publish it."
  >
    <button type="button" class="button is-primary" onClick={onWrite}>
      Write the first one
    </button>
  </Blank>
);
