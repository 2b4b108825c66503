/** When a key expires: never, after some days, or on a date. */
import { useState } from 'preact/hooks';
import { InputField, SelectField } from '../field.tsx';
import { textOf } from '../form.tsx';
import { dateOf, dayMs } from '../time.tsx';

const choices = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '365 days' },
  { value: 'date', label: 'On a date' },
  { value: 'never', label: 'Never' },
];

interface Props {
  /** How long a key may live; null: for ever. */
  maxDays: number | null;
  error: string | undefined;
}

const isOffered = (value: string, maxDays: number | null) =>
  maxDays === null || value === 'date' || Number(value) <= maxDays;

export function ExpiryFields({ maxDays, error }: Props) {
  const offered = choices.filter(({ value }) => isOffered(value, maxDays));
  const [choice, setChoice] = useState(isOffered('90', maxDays) ? '90' : (offered[0]?.value ?? 'date'));
  return (
    <div class="field-pair">
      <SelectField
        label="Expires"
        hint={hintFor(choice)}
        name="expiry"
        value={choice}
        options={offered}
        onChoose={setChoice}
      />
      {choice === 'date' && (
        <InputField
          label="Date"
          hint="Until the end of that day, your time."
          error={error}
          name="date"
          type="date"
          min={tomorrow()}
          max={maxDays === null ? '9999-12-31' : dayIn(maxDays - 1)}
        />
      )}
    </div>
  );
}

function hintFor(choice: string): string {
  if (choice === 'date') return 'Any day from tomorrow on.';
  if (choice === 'never') return 'A key that expires does less harm when it leaks.';
  return `On ${dateOf(daysFromNow(Number(choice)))}.`;
}

const endOfDay = (values: FormData) => new Date(`${textOf(values, 'date')}T23:59:59.999`);

/** Whether the chosen date is missing, is over, or has a year of more than four digits. */
export const isDateWrong = (values: FormData) =>
  values.get('expiry') === 'date' && !(endOfDay(values).getTime() > Date.now());

/**
 * The expiry chosen in the form, whose date is right; null: never.
 * @param since the same at each press, so that the service knows the request again
 */
export function expiryOf(values: FormData, since: number): string | null {
  const choice = textOf(values, 'expiry');
  if (choice === 'never') return null;
  if (choice === 'date') return endOfDay(values).toISOString();
  return daysFrom(since, Number(choice));
}

const daysFrom = (since: number, days: number) => new Date(since + days * dayMs).toISOString();

const daysFromNow = (days: number) => daysFrom(Date.now(), days);

const dayIn = (days: number) => daysFromNow(days).slice(0, 10);

const tomorrow = () => dayIn(1);
