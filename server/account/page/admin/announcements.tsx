/** The host's announcements with drafts and scheduled ones: written, previewed, published and taken back. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Api, ManagedAnnouncement } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import { type Problems, textOf } from '../form.tsx';
import { Item } from '../item.tsx';
import { named } from '../named.tsx';
import { AnnouncementText } from '../news/announcement-text.tsx';
import { type Read, readUnchanged } from '../shared-form.tsx';
import { momentOf, Time } from '../time.tsx';
import type { Page } from '../use-pages.ts';
import { Actions, AdminList, type Opener } from './admin-list.tsx';
import { type Fields, ItemDialog } from './item-dialog.tsx';

const pageSize = 50;

async function readAnnouncements(api: Api, last?: ManagedAnnouncement): Promise<Page<ManagedAnnouncement>> {
  const request = { ...(last && { before: last.id }), limit: pageSize };
  const { announcements } = await api.admin.listAnnouncements.query(request);
  return { items: announcements, hasMore: announcements.length === pageSize };
}

export const AnnouncementsView = () => (
  <AdminList
    title="Announcements"
    lede="Published ones are shown to all customers, and webhooks tell them."
    label="Announcements"
    more="Show older announcements"
    read={readAnnouncements}
    create={{
      label: 'Write one',
      first: 'Write the first one',
      dialog: (_, onChanged) => <AnnouncementDialog onChanged={onChanged} />,
    }}
    blank={{
      icon: 'news',
      title: 'No announcements',
      text: 'Write the first one: it stays a draft until you publish it.',
    }}
  >
    {(item, opener) => <AnnouncementItem key={item.id} {...{ item, opener }} />}
  </AdminList>
);

interface ItemProps {
  item: ManagedAnnouncement;
  opener: Opener;
}

const AnnouncementItem = ({ item, opener }: ItemProps) => (
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
    actions={<Actions of={actionsOf({ item, opener })} />}
  >
    <details class="restrictions">
      <summary>
        Text<span class="visually-hidden"> of {item.title}</span>
      </summary>
      <AnnouncementText announcement={item} />
    </details>
  </Item>
);

const isScheduled = ({ published_at }: ManagedAnnouncement) =>
  published_at !== null && Date.parse(published_at) > Date.now();

function StateBadge({ item }: Pick<ItemProps, 'item'>) {
  const { published_at } = item;
  if (published_at === null) return <span class="badge is-warning">Draft</span>;
  if (isScheduled(item)) return <span class="badge is-accent">Scheduled for {momentOf(published_at)}</span>;
  return <span class="badge is-success">Published {momentOf(published_at)}</span>;
}

function actionsOf({ item, opener }: ItemProps) {
  const { title: about, published_at } = item;
  const isPublished = published_at !== null && !isScheduled(item);
  const edit = () => opener.show(<AnnouncementDialog item={item} onChanged={opener.onChanged} />);
  const ask = (question: (props: ItemProps) => Parameters<Opener['ask']>[0]) => () =>
    opener.ask(question({ item, opener }));
  return [
    !isPublished && ({ icon: 'send', label: 'Publish', about, onAct: ask(toPublish) } as const),
    !isPublished && {
      label: 'Schedule',
      about,
      onAct: () => opener.show(<ScheduleDialog {...{ item, opener }} />),
    },
    { icon: 'edit', label: 'Edit', about, onAct: edit } as const,
    published_at !== null &&
      ({ icon: 'stop', label: 'Make a draft', about: `of ${about}`, onAct: ask(toDraft) } as const),
    { icon: 'trash', label: 'Delete', about, isDangerous: true, onAct: ask(toDelete) } as const,
  ];
}

const readAnnouncement =
  (announcement_id: number): Read<ManagedAnnouncement> =>
  async (api, context) =>
    (await api.admin.getAnnouncement.query({ announcement_id }, { context })).announcement;

/** What a write needs of one that is as it is shown. */
async function readShown(api: Api, { item, opener }: ItemProps) {
  const { id: announcement_id } = item;
  const reading = { shown: item, read: readAnnouncement(announcement_id), onChanged: opener.onChanged };
  return { announcement_id, context: (await readUnchanged(api, reading)).context };
}

const toPublish = (props: ItemProps) => ({
  title: named`Publish ${props.item.title}?`,
  text: 'All customers see it from now on, and webhooks tell it. What they have sent cannot be taken back.',
  verb: 'Publish now',
  async act(api: Api) {
    const { announcement_id, context } = await readShown(api, props);
    await api.admin.publishAnnouncement.mutate({ announcement_id }, { context });
  },
  done: named`${props.item.title} is published.`,
});

const toDraft = (props: ItemProps) => ({
  title: named`Make a draft of ${props.item.title}?`,
  text: 'Customers do not see it until it is published again.',
  verb: 'Make it a draft',
  async act(api: Api) {
    const { announcement_id, context } = await readShown(api, props);
    await api.admin.changeAnnouncement.mutate({ announcement_id, publish_at: null }, { context });
  },
  done: named`${props.item.title} is a draft.`,
});

const toDelete = ({ item: { id: announcement_id, title } }: ItemProps) => ({
  title: named`Delete ${title}?`,
  text: 'It is gone for all customers, and this cannot be undone.',
  verb: 'Delete announcement',
  isDangerous: true,
  act: (api: Api) => api.admin.deleteAnnouncement.mutate({ announcement_id }),
  done: named`${title} is deleted.`,
});

function ScheduleDialog(props: ItemProps) {
  const { title } = props.item;
  const schedule = async (api: Api, values: FormData) => {
    const publish_at = timeOf(values).toISOString();
    const { announcement_id, context } = await readShown(api, props);
    await api.admin.changeAnnouncement.mutate({ announcement_id, publish_at }, { context });
    await props.opener.onChanged();
    return named`${title} is published on ${momentOf(publish_at)}.`;
  };
  return (
    <FormDialog
      title={named`Schedule ${title}`}
      label="Schedule"
      fields={[timeField]}
      check={timeProblem}
      send={schedule}
    />
  );
}

const timeField = {
  name: 'time',
  label: 'Publish on',
  hint: 'Your time. It can be changed until then.',
  missing: 'Choose a day and a time.',
  type: 'datetime-local',
  max: '9999-12-31T23:59',
  autofocus: true,
} as const;

const timeOf = (values: FormData) => new Date(textOf(values, 'time'));

const timeProblem = (values: FormData): Problems =>
  timeOf(values).getTime() <= Date.now() ? { time: 'Choose a time that is still to come.' } : {};

const fields: Fields = [
  { name: 'title', label: 'Title', missing: 'Give the announcement a title.', maxLength: 200 },
  {
    name: 'message',
    label: 'Message',
    hint: 'Plain text; line breaks stay, and addresses become links.',
    missing: 'Write the message.',
    rows: 6,
    maxLength: 10_000,
  },
  {
    name: 'summary',
    label: 'Summary',
    hint: 'A short form, for lists and chats. May stay empty.',
    rows: 2,
    maxLength: 1000,
  },
  { name: 'tag', label: 'Tag', hint: 'Such as maintenance. May stay empty.', maxLength: 100, empty: null },
  { name: 'show_in_ribbon', label: 'Ribbon', box: 'Show it in the ribbon at the top of your web site' },
];

interface DialogProps extends Pick<Opener, 'onChanged'> {
  /** The one to change; undefined: a new one. */
  item?: ManagedAnnouncement;
}

const AnnouncementDialog = ({ item: opened, onChanged }: DialogProps) => (
  <ItemDialog
    opened={opened}
    read={opened && readAnnouncement(opened.id)}
    title={(item) => (item ? named`Edit ${item.title}` : 'Write an announcement')}
    label={opened ? 'Save' : 'Save draft'}
    draft={`announcement-${opened?.id ?? ''}`}
    fields={fields}
    Frame={Preview}
    onChanged={onChanged}
    save={async (api, given, { context }) => {
      const content = given as Content; // as the fields are
      if (opened)
        await api.admin.changeAnnouncement.mutate({ announcement_id: opened.id, ...content }, { context });
      else await api.admin.createAnnouncement.mutate(content);
      return opened
        ? named`${content.title} is changed.`
        : 'The draft is saved. Publish it when it is ready.';
    }}
  />
);

type Content = Parameters<Api['admin']['createAnnouncement']['mutate']>[0];

interface PreviewProps {
  item: { message?: unknown; summary?: unknown };
  children: ComponentChildren;
}

/** Of what is in the fields, also when they were filled by a draft. */
function Preview({ item, children }: PreviewProps) {
  const [typed, setTyped] = useState({
    message: String(item.message ?? ''),
    summary: String(item.summary ?? ''),
  });
  const onTyped = ({ target }: Event) => {
    if (target instanceof HTMLTextAreaElement) setTyped({ ...typed, [target.name]: target.value });
  };
  return (
    <div class="form" onInput={onTyped} onChange={onTyped}>
      {children}
      <details class="restrictions">
        <summary>Preview</summary>
        <div class="panel stack">
          <AnnouncementText announcement={typed} />
        </div>
      </details>
    </div>
  );
}
