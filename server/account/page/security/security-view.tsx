/** The user's second factors: authenticator apps, passkeys and recovery codes. */
import type { OwnFactor, OwnFactors } from '../api.ts';
import { ActionButton } from '../controls.tsx';
import { type Dialogs, FormDialog, type Question, useDialog } from '../dialog.tsx';
import { Item } from '../item.tsx';
import { ListView } from '../list-view.tsx';
import { useShell } from '../shell.ts';
import { withNames } from '../text.tsx';
import { Time } from '../time.tsx';
import { onReturn, type Query, useQuery } from '../use-query.ts';
import { Blank, type BlankProps, CreateButton, View, Warning } from '../view.tsx';
import { AddAuthenticatorApp, AddPasskey, nameField, RecoveryCodesDialog } from './add-factor.tsx';
import { forgetPasskey, usePasskeySupport } from './passkeys.ts';

/**
 * @param notice what the user should know first
 * @param onClosed called after each dialog, whose change may affect other parts of the page
 */
export function SecurityView({ notice, onClosed }: { notice?: string; onClosed?: () => void }) {
  const query = useQuery((api) => api.factors.list.query(), onReturn);
  const { dialog, ...dialogs } = useDialog(onClosed);
  return (
    <View title="Security" lede="What you show to sign in, besides your password or in place of it.">
      {notice && <Warning>{notice}</Warning>}
      {query.content?.is_on === false ? <SwitchedOff /> : <Factors {...{ query, dialogs }} />}
      {dialog}
    </View>
  );
}

const SwitchedOff = () => (
  <Blank
    icon="shield"
    title="Second factors are off"
    text="Your host has not set them up: the service has no key (SECRETS_KEY) to encrypt them with."
  />
);

type Reload = () => Promise<unknown>;

function Factors({ query, dialogs }: { query: Query<OwnFactors>; dialogs: Dialogs }) {
  const { reload } = query;
  const showCodes = (codes: string[]) => {
    void reload();
    if (codes.length > 0) dialogs.show(<RecoveryCodesDialog codes={codes} />);
    else dialogs.close();
  };
  const replaceCodes = () =>
    dialogs.confirm({
      title: 'Create new recovery codes?',
      text: 'You get ten new codes. Your current codes stop working.',
      verb: 'Create new codes',
      act: async (api) => showCodes((await api.factors.replaceRecoveryCodes.mutate()).recovery_codes),
    });
  return (
    <>
      {query.content && <AddButtons show={dialogs.show} onAdded={showCodes} />}
      <ListView
        query={query}
        items={({ factors }) => factors}
        label="Second factors"
        blank={noFactors}
        item={(factor, own) => (
          <FactorItem
            key={factor.id}
            factor={factor}
            onRename={() => dialogs.show(<RenameDialog {...{ factor, reload }} />)}
            onRemove={() => dialogs.confirm(removalOf(factor, own, reload))}
          />
        )}
      >
        {({ factors, recovery_codes_left: left }) =>
          factors.length > 0 && <RecoveryCodes left={left} onReplace={replaceCodes} />
        }
      </ListView>
    </>
  );
}

function AddButtons({ show, onAdded }: { show: Dialogs['show']; onAdded(codes: string[]): void }) {
  const { settings } = useShell();
  const canAddPasskey = usePasskeySupport();
  return (
    <>
      <div class="actions">
        <CreateButton
          label="Add an authenticator app"
          onClick={() => show(<AddAuthenticatorApp onAdded={onAdded} />)}
        />
        {canAddPasskey && (
          <CreateButton label="Add a passkey" onClick={() => show(<AddPasskey onAdded={onAdded} />)} />
        )}
      </div>
      {!canAddPasskey && <p class="note">{settings.passkeys ? noPasskeysInBrowser : noPasskeysAtAddress}</p>}
    </>
  );
}

const noPasskeysInBrowser = 'This browser does not support passkeys; an authenticator app works everywhere.';
const noPasskeysAtAddress =
  'Passkeys need an address with https and a host name, or localhost; an authenticator app works here too.';

const noFactors: BlankProps = {
  icon: 'shield',
  title: 'No second factor yet',
  text: 'Add one, so that a stolen password is not enough to sign in: an app on your phone shows a code, or a passkey asks for your finger, face or PIN.',
};

const kindNames = { app: 'Authenticator app', passkey: 'Passkey' };

function FactorItem(props: { factor: OwnFactor; onRename(): void; onRemove(): void }) {
  const { kind, name, created_at, last_used_at } = props.factor;
  return (
    <Item
      title={name}
      about={<span class="badge">{kindNames[kind]}</span>}
      actions={
        <>
          <ActionButton icon="edit" label="Rename" about={name} onAct={props.onRename} />
          <ActionButton icon="trash" label="Remove" about={name} isDangerous onAct={props.onRemove} />
        </>
      }
    >
      <p class="note">
        Added <Time iso={created_at} /> ·{' '}
        {last_used_at ? (
          <>
            last used <Time iso={last_used_at} isRelative />
          </>
        ) : (
          'not used since'
        )}
      </p>
    </Item>
  );
}

const RenameDialog = ({ factor, reload }: { factor: OwnFactor; reload: Reload }) => (
  <FormDialog
    title="Change the name"
    label="Save"
    request="factors.rename"
    fields={[nameField(factor.name)]}
    send={async (api, given) => {
      await api.factors.rename.mutate({ id: factor.id, ...given });
      await reload();
      return 'Name changed.';
    }}
  />
);

const removalOf = ({ id, kind, name }: OwnFactor, { factors }: OwnFactors, reload: Reload): Question => ({
  title: withNames`Remove ${name}?`,
  text:
    factors.length === 1
      ? 'This is your only second factor. Without it, your password alone signs you in, and your recovery codes stop working.'
      : 'It will no longer sign you in. Your other factors stay.',
  verb: 'Remove',
  isDangerous: true,
  async act(api) {
    // Reloads after a failure too: another tab may have removed it.
    await api.factors.remove.mutate({ id }).finally(reload);
    if (kind === 'passkey') await forgetPasskey(id);
    return withNames`${name} is removed.`;
  },
});

const fewCodes = 3;

const RecoveryCodes = ({ left, onReplace }: { left: number; onReplace(): void }) => (
  <section class="stack" aria-labelledby="recovery-codes">
    <h2 id="recovery-codes">Recovery codes</h2>
    <p>Use one if you lose your other factors. Each works once. You have {left} left.</p>
    {left < fewCodes && (
      <Warning>Create new ones soon: without any, only your host can let you in again.</Warning>
    )}
    <div class="actions">
      <ActionButton icon="rotate" label="Create new recovery codes" about="" onAct={onReplace} />
    </div>
  </section>
);
