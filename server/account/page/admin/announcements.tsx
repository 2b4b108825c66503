/** Administrators write, preview, publish and withdraw the host's announcements here, including drafts and scheduled ones. */
import { useRef } from 'preact/hooks';
import type { Announcement, Api, ManagedAnnouncement } from '../api.ts';
import { FormDialog } from '../dialog.tsx';
import type { Problems } from '../field.tsx';
import { type Fields, orNull, textOf, trimmedOf } from '../fields.tsx';
import { Item } from '../item.tsx';
import { AnnouncementText, AnnouncementItem as NewsItem } from '../news/news-view.tsx';
import type { ReadMarks } from '../news/read-marks.ts';
import { withNames } from '../text.tsx';
import { formatDateTime, Time } from '../time.tsx';
import { useFormValues } from '../use-form-values.ts';
import type { Page } from '../use-query.ts';
import { Actions, AdminList, type Opener } from './admin-list.tsx';
import { ItemDialog, type Read, readUnchanged } from './item-dialog.tsx';

const pageSize = 50;

async function readAnnouncements(api: Api, last?: ManagedAnnouncement): Promise<Page<ManagedAnnouncement>> {
  const request = { ...(last && { before: last.id }), limit: pageSize };
  const { announcements } = await api.admin.listAnnouncements.query(request);
  return { items: announcements, hasMore: announcements.length === pageSize };
}

export const AnnouncementsView = () => (
  <AdminList
    title="Announcements"
    lede="All customers see the published ones, and webhooks send them."
    label="Announcements"
    more="Show older announcements"
    read={readAnnouncements}
    create={{
      label: 'Create announcement',
      first: 'Create the first announcement',
      dialog: (_, onChanged) => <AnnouncementDialog item={null} onChanged={onChanged} />,
    }}
    blank={{
      icon: 'news',
      title: 'No announcements',
      text: 'Create the first one, and publish it at once or keep it as a draft.',
    }}
    item={(item, opener) => <AnnouncementItem key={item.id} {...{ item, opener }} />}
  />
);

type ItemProps = { item: ManagedAnnouncement; opener: Opener };

const AnnouncementItem = (props: ItemProps) => {
  const { title, tag, show_in_ribbon, created_at, published_at } = props.item;
  const isScheduled = published_at !== null && Date.parse(published_at) > Date.now();
  return (
    <Item
      title={title}
      about={
        <>
          {published_at === null && <span class="badge is-warning">Draft</span>}
          {published_at !== null && (
            <span class={isScheduled ? 'badge is-accent' : 'badge is-success'}>
              {isScheduled ? 'Scheduled for' : 'Published'} {formatDateTime(published_at)}
            </span>
          )}
          {tag && (
            <span class="badge" dir="auto">
              {tag}
            </span>
          )}
          {show_in_ribbon && <span class="badge">In the ribbon</span>}
          <p class="note">
            Written <Time iso={created_at} isRelative />
          </p>
        </>
      }
      actions={<AnnouncementActions {...props} isWaiting={isScheduled || published_at === null} />}
    >
      <details class="restrictions">
        <summary>
          Text<span class="visually-hidden"> of {title}</span>
        </summary>
        <AnnouncementText announcement={props.item} />
      </details>
    </Item>
  );
};

function AnnouncementActions({ isWaiting, ...props }: ItemProps & { isWaiting: boolean }) {
  const { item, opener } = props;
  const { title: about, published_at } = item;
  const schedule = () => opener.show(<PublicationDialog {...props} />);
  const edit = () => opener.show(<AnnouncementDialog item={item} onChanged={opener.onChanged} />);
  const ask = (question: (props: ItemProps) => Parameters<Opener['ask']>[0]) => () =>
    opener.ask(question(props));
  return (
    <Actions
      of={[
        isWaiting && { icon: 'send', label: 'Publish', about, onAct: ask(toPublish) },
        isWaiting && { label: 'Schedule', about, onAct: schedule },
        { icon: 'edit', label: 'Edit', about, onAct: edit },
        published_at !== null && {
          icon: 'stop',
          label: 'Make a draft',
          about: `of ${about}`,
          onAct: ask(toDraft),
        },
        { icon: 'trash', label: 'Delete', about, isDangerous: true, onAct: ask(toDelete) },
      ]}
    />
  );
}

const readAnnouncement =
  (announcement_id: number): Read<ManagedAnnouncement> =>
  async (api, context) =>
    (await api.admin.getAnnouncement.query({ announcement_id }, { context })).announcement;

/**
 * Reads the version that a write must send.
 * @throws EditConflict if the announcement has changed since the page showed it
 */
async function readShown(api: Api, { item, opener }: ItemProps) {
  const { id: announcement_id } = item;
  const reading = { shown: item, read: readAnnouncement(announcement_id), onChanged: opener.onChanged };
  return { announcement_id, context: (await readUnchanged(api, reading)).context };
}

/** @param publish_at null makes the announcement a draft */
async function setPublication(api: Api, props: ItemProps, publish_at: string | null) {
  const { announcement_id, context } = await readShown(api, props);
  await api.admin.changeAnnouncement.mutate({ announcement_id, publish_at }, { context });
}

const publicationText =
  'Once it is published, all customers see it and webhooks send it. You cannot take back a webhook that was sent.';

const toPublish = (props: ItemProps) => ({
  title: withNames`Publish ${props.item.title}?`,
  text: publicationText,
  more: <InNews item={props.item} />,
  verb: 'Publish now',
  async act(api: Api) {
    const { announcement_id, context } = await readShown(api, props);
    await api.admin.publishAnnouncement.mutate({ announcement_id }, { context });
  },
  done: withNames`${props.item.title} is published.`,
});

const toDraft = (props: ItemProps) => ({
  title: withNames`Make a draft of ${props.item.title}?`,
  text: 'Customers do not see it until you publish it again.',
  verb: 'Make it a draft',
  act: (api: Api) => setPublication(api, props, null),
  done: withNames`${props.item.title} is a draft.`,
});

const toDelete = ({ item: { id: announcement_id, title } }: ItemProps) => ({
  title: withNames`Delete ${title}?`,
  text: 'Customers no longer see it. This cannot be undone.',
  verb: 'Delete announcement',
  isDangerous: true,
  act: (api: Api) => api.admin.deleteAnnouncement.mutate({ announcement_id }),
  done: withNames`${title} is deleted.`,
});

function PublicationDialog(props: ItemProps) {
  const { title } = props.item;
  const schedule = async (api: Api, _: unknown, values: FormData) => {
    const publish_at = timeOf(values).toISOString();
    await setPublication(api, props, publish_at);
    await props.opener.onChanged();
    return withNames`${title} is published on ${formatDateTime(publish_at)}.`;
  };
  return (
    <FormDialog
      title={withNames`Schedule ${title}`}
      label="Schedule"
      fields={[timeField]}
      check={timeProblem}
      send={schedule}
    />
  );
}

const timeField = {
  name: 'publish_at',
  label: 'Publish on',
  hint: 'In your time zone. You can change it until then.',
  missing: 'Choose a day and a time.',
  type: 'datetime-local',
  max: '9999-12-31T23:59',
} as const;

const timeOf = (values: FormData) => new Date(textOf(values, 'publish_at'));

const timeProblem = (values: FormData): Problems =>
  timeOf(values).getTime() <= Date.now() ? { publish_at: 'Choose a time in the future.' } : {};

const fields = [
  { name: 'title', label: 'Title', missing: 'Give the announcement a title.' },
  {
    name: 'message',
    label: 'Message',
    hint: 'Plain text. Line breaks stay, and web addresses become links.',
    missing: 'Write the message.',
    rows: 6,
  },
  {
    name: 'summary',
    label: 'Summary',
    hint: 'A short version for lists and chats. Optional.',
    rows: 2,
  },
  { name: 'tag', label: 'Tag', hint: 'Such as maintenance. Optional.', read: orNull },
  { name: 'show_in_ribbon', label: 'Ribbon', box: 'Show it in the ribbon at the top of your web site' },
] as const satisfies Fields;

interface DialogProps extends Pick<Opener, 'onChanged'> {
  item: ManagedAnnouncement | null;
}

const AnnouncementDialog = ({ item: opened, onChanged }: DialogProps) => (
  <ItemDialog
    opened={opened}
    read={opened ? readAnnouncement(opened.id) : async () => null}
    title={(item) => (item ? withNames`Edit ${item.title}` : 'Create announcement')}
    label={opened ? 'Save' : 'Publish'}
    more={!opened && <SaveDraft />}
    draft={`announcement-${opened?.id ?? ''}`}
    request="admin.createAnnouncement"
    fields={[!opened && <p class="note">{publicationText}</p>, ...fields, <Preview item={opened} />]}
    onChanged={onChanged}
    save={async (api, content, { context, values }) => {
      if (!opened) {
        const status = values.has('draft') ? 'draft' : 'published';
        await api.admin.createAnnouncement.mutate({ ...content, status });
        if (status === 'published') return withNames`${content.title} is published.`;
        return 'The draft is saved. Publish it when it is ready.';
      }
      await api.admin.changeAnnouncement.mutate({ announcement_id: opened.id, ...content }, { context });
      return withNames`${content.title} is changed.`;
    }}
  />
);

/** Enter in a field presses this button, as it is the form's first: nothing is published by mistake. */
const SaveDraft = () => (
  <button type="submit" name="draft" value="yes" class="button">
    Save draft
  </button>
);

/** Follows what the user types, or what a saved draft fills in. */
function Preview({ item }: Pick<DialogProps, 'item'>) {
  const element = useRef<HTMLDivElement>(null);
  const values = useFormValues(element);
  const read = (name: string) => (values ? trimmedOf(values, name) : '');
  const typed = {
    title: read('title'),
    message: read('message'),
    summary: read('summary'),
    tag: read('tag'),
  };
  return (
    <div ref={element} class="field">
      <strong>Preview</strong>
      {typed.title || typed.message ? (
        <InNews item={{ id: 0, published_at: item?.published_at ?? null, ...typed }} />
      ) : (
        <p class="note">The announcement appears here as customers see it.</p>
      )}
    </div>
  );
}

/** Opening an announcement in News marks it as read. */
const marks: ReadMarks = { isRead: () => true, mark: () => {} };

/** As customers see it when it is published. */
const InNews = ({ item }: { item: Announcement }) => (
  <ul class="panel" aria-label="Preview">
    <NewsItem
      item={{ ...item, published_at: item.published_at ?? new Date().toISOString() }}
      marks={marks}
      isOpen
    />
  </ul>
);
