/** The dialogs over an announcement. */
import type { Api, ManagedAnnouncement } from '../api.ts';
import { ConfirmDialog, FormDialog } from '../dialog.tsx';
import { type Problems, textOf } from '../form.tsx';
import { named } from '../named.tsx';
import { type Over, type Read, readUnchanged, SharedFormDialog } from '../shared-form.tsx';
import { momentOf } from '../time.tsx';
import { AnnouncementFields, announcementOf, fieldsFor, problemsOf } from './announcement-fields.tsx';
import type { AnnouncementProps } from './announcement-state.ts';

const form = { places: ['message', 'summary', 'tag'], check: problemsOf };

export function WriteDialog({ onChanged }: Pick<AnnouncementProps, 'onChanged'>) {
  const save = async (api: Api, values: FormData) => {
    await api.admin.createAnnouncement.mutate(announcementOf(values));
    await onChanged();
    return 'The draft is saved. Publish it when it is ready.';
  };
  return (
    <FormDialog
      {...form}
      title="Write an announcement"
      label="Save draft"
      draft="announcement-"
      fields={fieldsFor(undefined)}
      send={save}
    >
      {(problems) => <AnnouncementFields item={undefined} problems={problems} />}
    </FormDialog>
  );
}

const readAnnouncement =
  (announcement_id: number): Read<ManagedAnnouncement> =>
  async (api, context) =>
    (await api.admin.getAnnouncement.query({ announcement_id }, { context })).announcement;

/** What a write needs of one that is as it is shown. */
async function readShown(api: Api, { item, onChanged }: AnnouncementProps) {
  const { id: announcement_id } = item;
  const reading = { shown: item, read: readAnnouncement(announcement_id), onChanged };
  return { announcement_id, context: (await readUnchanged(api, reading)).context };
}

export function EditDialog({ item: opened, onChanged }: AnnouncementProps) {
  const { id: announcement_id } = opened;
  const save = async (api: Api, values: FormData, { context }: Over<ManagedAnnouncement>) => {
    const content = announcementOf(values);
    await api.admin.changeAnnouncement.mutate({ announcement_id, ...content }, { context });
    await onChanged();
    return named`${content.title} is changed.`;
  };
  return (
    <SharedFormDialog
      {...form}
      opened={opened}
      read={readAnnouncement(announcement_id)}
      label="Save"
      draft={`announcement-${announcement_id}`}
      save={save}
      form={(item) => ({
        title: named`Edit ${item.title}`,
        fields: fieldsFor(item),
        children: (problems) => <AnnouncementFields item={item} problems={problems} />,
      })}
    />
  );
}

export function PublishDialog({ item, onChanged }: AnnouncementProps) {
  const publish = async (api: Api) => {
    const { announcement_id, context } = await readShown(api, { item, onChanged });
    await api.admin.publishAnnouncement.mutate({ announcement_id }, { context });
    await onChanged();
    return named`${item.title} is published.`;
  };
  return (
    <ConfirmDialog title={named`Publish ${item.title}?`} verb="Publish now" act={publish}>
      <p>All customers see it from now on, and webhooks tell it. What they have sent cannot be taken back.</p>
    </ConfirmDialog>
  );
}

export function ScheduleDialog({ item, onChanged }: AnnouncementProps) {
  const schedule = async (api: Api, values: FormData) => {
    const publish_at = timeOf(values).toISOString();
    const { announcement_id, context } = await readShown(api, { item, onChanged });
    await api.admin.changeAnnouncement.mutate({ announcement_id, publish_at }, { context });
    await onChanged();
    return named`${item.title} is published on ${momentOf(publish_at)}.`;
  };
  return (
    <FormDialog
      title={named`Schedule ${item.title}`}
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

export function UnpublishDialog({ item, onChanged }: AnnouncementProps) {
  const unpublish = async (api: Api) => {
    const { announcement_id, context } = await readShown(api, { item, onChanged });
    await api.admin.changeAnnouncement.mutate({ announcement_id, publish_at: null }, { context });
    await onChanged();
    return named`${item.title} is a draft.`;
  };
  return (
    <ConfirmDialog title={named`Make a draft of ${item.title}?`} verb="Make it a draft" act={unpublish}>
      <p>Customers do not see it until it is published again.</p>
    </ConfirmDialog>
  );
}

export function DeleteDialog({ item, onChanged }: AnnouncementProps) {
  const remove = async (api: Api) => {
    await api.admin.deleteAnnouncement.mutate({ announcement_id: item.id });
    await onChanged();
    return named`${item.title} is deleted.`;
  };
  return (
    <ConfirmDialog title={named`Delete ${item.title}?`} verb="Delete announcement" isDangerous act={remove}>
      <p>It is gone for all customers, and this cannot be undone.</p>
    </ConfirmDialog>
  );
}
