/** Plain words for the cron expressions that most schedules have. */

export const repeats = ['hour', 'day', 'week', 'month'] as const;

export interface Recurrence {
  every: (typeof repeats)[number];
  minute: number;
  hour: number;
  /** 0 is Sunday. */
  weekday: number;
  day: number;
}

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** At night, when the fewest players are online. */
export const everyNight: Recurrence = { every: 'day', minute: 30, hour: 4, weekday: 1, day: 1 };

const expressions: Record<Recurrence['every'], RegExp> = {
  hour: /^(?<minute>[0-5]?\d) \* \* \* \*$/,
  day: /^(?<minute>[0-5]?\d) (?<hour>[01]?\d|2[0-3]) \* \* \*$/,
  week: /^(?<minute>[0-5]?\d) (?<hour>[01]?\d|2[0-3]) \* \* (?<weekday>[0-6])$/,
  month: /^(?<minute>[0-5]?\d) (?<hour>[01]?\d|2[0-3]) (?<day>0?[1-9]|[12]\d|3[01]) \* \*$/,
};

export function parseRecurrence(cron: string): Recurrence | null {
  for (const every of repeats) {
    const fields = expressions[every].exec(cron)?.groups;
    if (!fields) continue;
    const numbers = Object.entries(fields).map(([name, digits]) => [name, Number(digits)]);
    return { ...everyNight, every, ...Object.fromEntries(numbers) };
  }
  return null;
}

export function cronOf({ every, minute, hour, weekday, day }: Recurrence): string {
  const fields = {
    hour: [minute, '*', '*', '*', '*'],
    day: [minute, hour, '*', '*', '*'],
    week: [minute, hour, '*', '*', weekday],
    month: [minute, hour, day, '*', '*'],
  };
  return fields[every].join(' ');
}

/** The value of a time input: "04:30". */
export const clockOf = ({ hour, minute }: Recurrence): string =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');

const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });

/** "Every day at 04:30", or "At" and the expression if it is not one of the common ones. */
export function describeCron(cron: string): string {
  const time = parseRecurrence(cron);
  if (!time) return `At ${cron}`;
  const { every, minute, weekday, day } = time;
  const at = `at ${clockOf(time)}`;
  const words = {
    hour: `Every hour at minute ${minute}`,
    day: `Every day ${at}`,
    week: `Every ${weekdays[weekday]} ${at}`,
    month: `Every month on the ${day}${endings[ordinals.select(day)] ?? 'th'} ${at}`,
  };
  return words[every];
}
