/** Rotates a key; the user chooses how long the old one stays valid. */
import type { IssuedKey, LiveKey, OverlapHours } from './api.ts';
import { DialogForm } from './dialog.tsx';
import { textOf } from './form.tsx';
import { useAction, useShell } from './shell.ts';
import { momentOf } from './time.tsx';

interface Props {
  item: LiveKey;
  onClose(): void;
  onRotated(issued: IssuedKey): Promise<unknown>;
}

const overlaps: { hours: OverlapHours; label: string; note: string }[] = [
  { hours: 24, label: 'In 24 hours', note: 'Time to deploy the new key everywhere.' },
  { hours: 1, label: 'In an hour', note: 'For one program that you restart by hand.' },
  { hours: 0, label: 'Immediately', note: 'When the old key may have leaked. Its next call is refused.' },
];

const defaultHours = 24;

export function RotateDialog({ item, onClose, onRotated }: Props) {
  const { api } = useShell();
  const action = useAction();
  const rotate = (values: FormData) =>
    action.run(async () => {
      const chosen = overlaps.find(({ hours }) => String(hours) === textOf(values, 'overlap'));
      const overlap_hours = chosen?.hours ?? defaultHours;
      await onRotated(await api.keys.rotate.mutate({ id: item.id, overlap_hours }));
    });
  return (
    <DialogForm
      title={
        <>
          Rotate <bdi>{item.name}</bdi>
        </>
      }
      label="Rotate key"
      action={action}
      onSubmit={rotate}
      onClose={onClose}
    >
      <p>
        You get a new secret with the same name and scopes
        {item.expires_at ? `, which expires as before on ${momentOf(item.expires_at)}.` : '.'} Webhooks that
        it made go to the new key; where the old one ends immediately, they are turned off.
      </p>
      <OverlapFields />
    </DialogForm>
  );
}

const OverlapFields = () => (
  <fieldset class="field">
    <legend>The old key ends</legend>
    <div class="choices">
      {overlaps.map(({ hours, label, note }) => (
        <label class="choice" key={hours}>
          <input type="radio" name="overlap" value={hours} defaultChecked={hours === defaultHours} />
          <span>
            <strong>{label}</strong>
            <span class="note">{note}</span>
          </span>
        </label>
      ))}
    </div>
  </fieldset>
);
