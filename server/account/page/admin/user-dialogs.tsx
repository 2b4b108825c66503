/** The dialogs over a user. */
import type { Api, ManagedUser } from '../api.ts';
import { ConfirmDialog } from '../dialog.tsx';
import { type FormField, trimmedOf } from '../form.tsx';
import { named } from '../named.tsx';
import { SharedFormDialog } from '../shared-form.tsx';

interface Props {
  user: ManagedUser;
  onChanged(): Promise<unknown>;
}

const change = (
  api: Api,
  { id }: ManagedUser,
  changes: { active?: boolean; panel_user_id?: number | null },
) => api.admin.putUser.mutate({ external_id: `~${id}`, ...changes });

export function InviteDialog({ user }: Pick<Props, 'user'>) {
  const invite = async (api: Api) => {
    await api.admin.inviteUser.mutate({ external_id: `~${user.id}` });
    return named`An invitation to ${user.email} is on its way.`;
  };
  return (
    <ConfirmDialog title={named`Invite ${user.email}?`} verb="Send the invitation" act={invite}>
      <p>
        The user gets a mail with a link that signs in once, within seven days, and is asked to set a password
        where there is none.
      </p>
    </ConfirmDialog>
  );
}

export function SuspendDialog({ user, onChanged }: Props) {
  const suspend = async (api: Api) => {
    await change(api, user, { active: false });
    await onChanged();
    return named`${user.email} is suspended.`;
  };
  return (
    <ConfirmDialog title={named`Suspend ${user.email}?`} verb="Suspend user" isDangerous act={suspend}>
      <p>
        All keys and apps of the user are refused and all sessions end, at once. Resumed, the same keys and
        apps work again. Servers at the panel go on.
      </p>
    </ConfirmDialog>
  );
}

export function ResumeDialog({ user, onChanged }: Props) {
  const resume = async (api: Api) => {
    await change(api, user, { active: true });
    await onChanged();
    return named`${user.email} is active again.`;
  };
  return (
    <ConfirmDialog title={named`Resume ${user.email}?`} verb="Resume user" act={resume}>
      <p>The user can sign in again, and the same keys and apps work again.</p>
    </ConfirmDialog>
  );
}

const field: FormField = {
  name: 'panel_user_id',
  label: 'Id of the panel user',
  hint: 'The number that the panel shows in its list of users. Empty: none.',
  inputMode: 'numeric',
  autocomplete: 'off',
  autofocus: true,
};

export function PanelUserDialog({ user, onChanged }: Props) {
  const { id, panel_user_id } = user;
  const read = async (api: Api) => {
    const { panel_user_id } = (await api.admin.getUser.query({ external_id: `~${id}` })).user;
    return { panel_user_id };
  };
  const link = async (api: Api, values: FormData) => {
    const id = trimmedOf(values, 'panel_user_id');
    await change(api, user, { panel_user_id: id === '' ? null : Number(id) });
    await onChanged();
    return id === ''
      ? named`${user.email} has no panel user now.`
      : named`${user.email} has the servers of panel user ${id}.`;
  };
  return (
    <SharedFormDialog
      opened={{ panel_user_id }}
      read={read}
      label="Save"
      check={problemsOf}
      save={link}
      form={({ panel_user_id }) => ({
        title: named`Panel user of ${user.email}`,
        fields: [{ ...field, defaultValue: panel_user_id ?? '' }],
      })}
    />
  );
}

const problemsOf = (values: FormData) => ({
  panel_user_id: /^(?:[1-9]\d{0,14})?$/.test(trimmedOf(values, 'panel_user_id'))
    ? undefined
    : 'Enter a whole number from 1, or nothing.',
});
