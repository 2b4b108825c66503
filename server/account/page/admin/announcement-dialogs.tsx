/** The dialogs over an announcement. */
import type { Api, ManagedAnnouncement } from '../api.ts';
import { ConfirmDialog, FormDialog } from '../dialog.tsx';
import { type Problems, textOf } from '../form.tsx';
import { named } from '../named.tsx';
import { momentOf } from '../time.tsx';
import { AnnouncementFields, announcementOf, fieldsFor, problemsOf } from './announcement-fields.tsx';
import { type AnnouncementProps, isScheduled } from './announcement-state.ts';

interface EditProps extends Pick<AnnouncementProps, 'onChanged'> {
  /** Undefined for a new one. */
  item?: ManagedAnnouncement;
}

export function EditDialog({ item, onChanged }: EditProps) {
  const save = async (api: Api, values: FormData) => {
    const content = announcementOf(values);
    if (item) await api.admin.changeAnnouncement.mutate({ announcement_id: item.id, ...content });
    else await api.admin.createAnnouncement.mutate(content);
    await onChanged();
    return item ? named`${content.title} is changed.` : 'The draft is saved. Publish it when it is ready.';
  };
  return (
    <FormDialog
      title={item ? named`Edit ${item.title}` : 'Write an announcement'}
      label={item ? 'Save' : 'Save draft'}
      draft={`announcement-${item?.id ?? ''}`}
      fields={fieldsFor(item)}
      places={['message', 'summary', 'tag']}
      check={problemsOf}
      send={save}
    >
      {(problems) => <AnnouncementFields item={item} problems={problems} />}
    </FormDialog>
  );
}

export function PublishDialog({ item, onChanged }: AnnouncementProps) {
  const publish = async (api: Api) => {
    const request = { announcement_id: item.id };
    // One that is scheduled would keep its time.
    if (isScheduled(item)) await api.admin.changeAnnouncement.mutate({ ...request, publish_at: null });
    await api.admin.changeAnnouncement.mutate({ ...request, status: 'published' });
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
    await api.admin.changeAnnouncement.mutate({ announcement_id: item.id, publish_at });
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
    await api.admin.changeAnnouncement.mutate({ announcement_id: item.id, publish_at: null });
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
