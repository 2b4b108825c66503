/** Which notices the user gets by mail. */
import type { Api, NoticeKind } from './api.ts';
import { FormDialog } from './dialog.tsx';
import { Choices } from './field.tsx';
import { ResourceView } from './resource-view.tsx';
import { useQuery } from './use-query.ts';

export function MailDialog() {
  const query = useQuery((api) => api.notices.get.query());
  const save = async (api: Api, values: FormData) => {
    const isWanted = (kind: NoticeKind) => values.getAll('kinds').includes(kind);
    // Without boxes nothing was chosen.
    const kinds = query.content?.kinds.map(({ kind }) => kind).filter(isWanted);
    if (kinds) await api.notices.change.mutate({ kinds });
    return kinds ? 'Saved.' : 'Nothing was changed.';
  };
  return (
    <FormDialog title="Mail" label="Save" fieldCount={query.content ? 1 : 0} send={save}>
      {() => (
        <ResourceView of={query}>
          {({ kinds }) => (
            <Choices
              legend="Mail me when"
              name="kinds"
              choices={kinds.map(({ kind, sentence }) => ({ value: kind, content: sentence }))}
              preset={kinds.filter(({ is_wanted }) => is_wanted).map(({ kind }) => kind)}
            >
              <p class="note">
                New and leaked keys, connected apps, and changes of your password or address are always told.
                A link by mail is also the way of a forgotten password: without it, only your host can help
                you.
              </p>
            </Choices>
          )}
        </ResourceView>
      )}
    </FormDialog>
  );
}
