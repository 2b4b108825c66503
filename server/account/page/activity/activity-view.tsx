/** What the user's keys and apps did: a chart of calls by day, the sums by key, and the calls themselves. */
import { useEffect, useState } from 'preact/hooks';
import type { ActivityDay, ActivitySummary } from '../api.ts';
import { Failed } from '../failed.tsx';
import { Field } from '../field.tsx';
import { useAction, useShell } from '../shell.ts';
import { KeySkeletons } from '../skeleton.tsx';
import { useFresh } from '../use-fresh.ts';
import { ActivityList } from './activity-list.tsx';
import { CallChart } from './call-chart.tsx';

export function ActivityView() {
  const { content, failure, reload } = useFresh((api) => api.activity.summary.query({}));
  return (
    <main class="main">
      <div class="page-head">
        <div>
          <h1 tabIndex={-1}>Activity</h1>
          <p class="lede">What your keys and apps did, and who signed in to your account.</p>
        </div>
      </div>
      {!content && (failure ? <Failed message={failure} onRetry={reload} /> : <KeySkeletons />)}
      {content && <Summary summary={content} />}
      <ActivityList />
    </main>
  );
}

/** In the list of keys: all of them together. */
const everything = '';

function Summary({ summary }: { summary: ActivitySummary }) {
  const [source, setSource] = useState(everything);
  const { days, failure } = useDays(summary, source);
  const chosen = summary.keys.find((key) => key.source === source);
  return (
    <section class="panel activity-summary" aria-labelledby="calls-by-day">
      <h2 id="calls-by-day">Calls by day</h2>
      <Field label="Key or app">
        {(inputProps) => (
          <select {...inputProps} value={source} onChange={(event) => setSource(event.currentTarget.value)}>
            <option value={everything}>All keys and apps</option>
            {summary.keys.map((key) => (
              <option key={key.source} value={key.source} dir="auto">
                {`${key.name} (${key.prefix}…)`}
              </option>
            ))}
          </select>
        )}
      </Field>
      {failure && <p class="note is-danger">{failure}</p>}
      <CallChart days={days} of={chosen?.name ?? 'all keys and apps'} />
      <p class="note">A call is counted within ten seconds.</p>
      {summary.keys.length > 0 && <KeyTable keys={summary.keys} />}
    </section>
  );
}

/** The days of one key or app, once they have arrived; until then those shown before. */
function useDays(summary: ActivitySummary, source: string) {
  const { api } = useShell();
  const { failure, run } = useAction();
  const [days, setDays] = useState<ActivityDay[]>(summary.days);
  useEffect(() => {
    let isCurrent = true;
    const show = (found: ActivityDay[]) => isCurrent && setDays(found);
    if (source === everything) show(summary.days);
    else void run(async () => void show((await api.activity.days.query({ source })).days));
    return () => {
      isCurrent = false;
    };
  }, [api, source, summary]);
  return { days, failure };
}

const KeyTable = ({ keys }: Pick<ActivitySummary, 'keys'>) => (
  <table class="counts">
    <caption>Calls by key in 30 days</caption>
    <thead>
      <tr>
        <th scope="col">Key or app</th>
        <th scope="col">Calls</th>
        <th scope="col">Errors</th>
      </tr>
    </thead>
    <tbody>
      {keys.map(({ source, name, prefix, calls, errors }) => (
        <tr key={source}>
          <th scope="row">
            <bdi>{name}</bdi> <code class="prefix">{prefix}…</code>
          </th>
          <td>{calls.toLocaleString('en')}</td>
          <td>{errors.toLocaleString('en')}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
