/** The dialog open over the list of keys. */
import type { IssuedKey, KeyList, LiveKey } from './api.ts';
import { CreateDialog } from './create-dialog.tsx';
import { KeySecretDialog } from './key-secret-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

export type Open =
  | { is: 'create' }
  | { is: 'rotate' | 'revoke'; key: LiveKey }
  | { is: 'secret'; issued: IssuedKey; replaced: LiveKey | null }
  | null;

interface Props {
  open: Open;
  setOpen(open: Open): void;
  reload(): Promise<unknown>;
  keys: KeyList;
}

export function OpenDialog({ open, setOpen, reload, keys }: Props) {
  const close = () => setOpen(null);
  const showSecret = async (issued: IssuedKey, replaced: LiveKey | null) => {
    setOpen({ is: 'secret', issued, replaced });
    await reload();
  };
  if (open?.is === 'create')
    return <CreateDialog keys={keys} onClose={close} onCreated={(issued) => showSecret(issued, null)} />;
  if (open?.is === 'rotate')
    return (
      <RotateDialog item={open.key} onClose={close} onRotated={(issued) => showSecret(issued, open.key)} />
    );
  if (open?.is === 'revoke') return <RevokeDialog item={open.key} onClose={close} onRevoked={reload} />;
  if (open?.is === 'secret')
    return <KeySecretDialog issued={open.issued} isRotated={open.replaced !== null} onClose={close} />;
  return null;
}
