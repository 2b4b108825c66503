/** The fields of an announcement, and below them what customers will see. */
import { useState } from 'preact/hooks';
import type { ManagedAnnouncement } from '../api.ts';
import { Choices, InputField, TextField } from '../field.tsx';
import { type FormField, type Problems, textOf, trimmedOf } from '../form.tsx';
import { AnnouncementText } from '../news/announcement-text.tsx';

export const fieldsFor = (item: ManagedAnnouncement | undefined): FormField[] => [
  {
    name: 'title',
    label: 'Title',
    missing: 'Give the announcement a title.',
    maxLength: 200,
    autocomplete: 'off',
    autofocus: true,
    defaultValue: item?.title ?? '',
  },
];

interface Props {
  item: ManagedAnnouncement | undefined;
  problems: Problems;
}

const ribbon = [{ value: 'yes', content: 'Show it in the ribbon at the top of your web site' }];

export function AnnouncementFields({ item, problems }: Props) {
  const message = useTyped(item?.message ?? '');
  const summary = useTyped(item?.summary ?? '');
  return (
    <>
      <TextField
        label="Message"
        hint="Plain text; line breaks stay, and addresses become links."
        error={problems['message']}
        name="message"
        rows={6}
        maxLength={10_000}
        {...message.events}
        defaultValue={item?.message ?? ''}
      />
      <TextField
        label="Summary"
        hint="A short form, for lists and chats. May stay empty."
        error={problems['summary']}
        name="summary"
        maxLength={1000}
        {...summary.events}
        defaultValue={item?.summary ?? ''}
      />
      <LookFields item={item} problems={problems} />
      <details class="restrictions">
        <summary>Preview</summary>
        <div class="panel stack">
          <AnnouncementText announcement={{ summary: summary.text, message: message.text }} />
        </div>
      </details>
    </>
  );
}

/** How it stands out. */
const LookFields = ({ item, problems }: Props) => (
  <>
    <InputField
      label="Tag"
      hint="Such as maintenance. May stay empty."
      error={problems['tag']}
      name="tag"
      maxLength={100}
      autocomplete="off"
      defaultValue={item?.tag ?? ''}
    />
    <Choices legend="Ribbon" name="ribbon" choices={ribbon} preset={item?.show_in_ribbon ? ['yes'] : []} />
  </>
);

/** What is in a field, also when it was filled by a draft. */
function useTyped(initial: string) {
  const [text, setText] = useState(initial);
  const onTyped = ({ currentTarget: { value } }: { currentTarget: HTMLTextAreaElement }) => setText(value);
  return { text, events: { onInput: onTyped, onChange: onTyped } };
}

export const problemsOf = (values: FormData): Problems => ({
  message: trimmedOf(values, 'message') === '' ? 'Write the message.' : undefined,
});

/** What the form holds, as the API takes it. */
export const announcementOf = (values: FormData) => ({
  title: trimmedOf(values, 'title'),
  message: textOf(values, 'message'),
  summary: trimmedOf(values, 'summary'),
  tag: trimmedOf(values, 'tag') || null,
  show_in_ribbon: values.has('ribbon'),
});
