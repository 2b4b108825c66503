/** A bar chart of calls by day, with errors hatched. A table that opens below it has the numbers. */
import type { ComponentChildren } from 'preact';
import type { ActivityDay } from '../api.ts';
import { formatDay } from '../time.tsx';

const height = 120;
const slot = 20;
const barWidth = 14;

/** @param of the name of the key or app, for screen readers */
export function CallChart({ days, of }: { days: readonly ActivityDay[]; of: string }) {
  const last = days.at(-1);
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  const calls = days.reduce((total, day) => total + day.calls, 0);
  const errors = days.reduce((total, day) => total + day.errors, 0);
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${days.length * slot} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${count(calls, 'call')} and ${count(errors, 'error')} of ${of} in ${days.length} days, at most ${most} a day`}
      >
        <Hatch />
        {days.map((day, index) => (
          <Bar key={day.date} day={day} x={index * slot} scale={(height - 4) / most} />
        ))}
      </svg>
      <figcaption>
        <span class="chart-ends">
          <span>{days[0] && formatDay(days[0].date)}</span>
          <span>{last && formatDay(last.date)} (UTC)</span>
        </span>
        <ul class="chart-legend" aria-label="Legend">
          <li>Calls: {calls.toLocaleString('en')}</li>
          <li class="is-errors">Errors among them: {errors.toLocaleString('en')}</li>
        </ul>
      </figcaption>
      <details>
        <summary>Numbers by day</summary>
        <Counts
          of="Day (UTC)"
          rows={days.toReversed().map((day) => ({ ...day, name: formatDay(day.date) }))}
        />
      </details>
    </figure>
  );
}

const Hatch = () => (
  <pattern id="hatched" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect class="chart-error" width="4" height="4" />
    <rect class="chart-hatch" width="1.5" height="4" />
  </pattern>
);

interface CountsProps {
  caption?: string;
  of: string;
  rows: readonly { name: ComponentChildren; calls: number; errors: number }[];
}

export const Counts = ({ caption, of, rows }: CountsProps) => (
  <table class="counts">
    {caption && <caption>{caption}</caption>}
    <thead>
      <tr>
        {[of, 'Calls', 'Errors'].map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ name, calls, errors }, index) => (
        <tr key={index}>
          <th scope="row">{name}</th>
          <td>{calls.toLocaleString('en')}</td>
          <td>{errors.toLocaleString('en')}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

/** A day with any calls or errors shows at least a thin line. */
const lengthOf = (calls: number, scale: number) => (calls === 0 ? 0 : Math.max(2, calls * scale));

function Bar({ day: { date, calls, errors }, x, scale }: { day: ActivityDay; x: number; scale: number }) {
  const [whole, failed] = [lengthOf(calls, scale), lengthOf(errors, scale)];
  const left = x + (slot - barWidth) / 2;
  return (
    <g>
      <title>{`${formatDay(date)}: ${count(calls, 'call')}, ${count(errors, 'error')}`}</title>
      <rect class="chart-base" x={left} y={height - 1} width={barWidth} height={1} />
      <rect class="chart-calls" x={left} y={height - whole} width={barWidth} height={whole} />
      <rect fill="url(#hatched)" x={left} y={height - failed} width={barWidth} height={failed} />
    </g>
  );
}

const count = (number: number, noun: string) =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
