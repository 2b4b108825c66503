/** The calls of the user's keys and apps: a chart by day, totals by key or app, and the table. */
import { useMemo, useState } from 'preact/hooks';
import type { ActivitySummary, Api } from '../api.ts';
import { SelectField } from '../field.tsx';
import { onReturn, useQuery } from '../use-query.ts';
import { ResourceView, View } from '../view.tsx';
import { ActivityList } from './activity-list.tsx';
import { CallChart, Counts } from './call-chart.tsx';

export function ActivityView() {
  const query = useQuery((api) => api.activity.summary.query({}), onReturn);
  const [source, setSource] = useState(everything);
  return (
    <View title="Activity" lede="Calls by your keys and apps, and sign-ins to your account.">
      <ResourceView of={query}>{(summary) => <Summary {...{ summary, source, setSource }} />}</ResourceView>
      <ActivityList source={query.content?.keys.find((key) => key.source === source)} />
    </View>
  );
}

const everything = '';

interface SummaryProps {
  summary: ActivitySummary;
  /** Chosen for the chart and the table; empty: all. */
  source: string;
  setSource(source: string): void;
}

function Summary({ summary, source, setSource }: SummaryProps) {
  const { keys } = summary;
  const { days, failure } = useDays(summary, source);
  const chosen = keys.find((key) => key.source === source);
  const options = keys.map(({ source, name, prefix }) => ({ value: source, label: `${name} (${prefix}…)` }));
  return (
    <section class="panel stack" aria-labelledby="calls-by-day">
      <h2 id="calls-by-day">Calls by day</h2>
      <SelectField
        label="Key or app"
        hint="For the chart and for the calls below."
        value={source}
        options={[{ value: everything, label: 'All keys and apps' }, ...options]}
        onChoose={setSource}
      />
      {failure && <p class="note is-danger">{failure}</p>}
      <CallChart days={days} of={chosen?.name ?? 'all keys and apps'} />
      <p class="note">Calls appear here within ten seconds.</p>
      {keys.length > 0 && (
        <Counts
          caption="Calls by key or app in 30 days"
          of="Key or app"
          rows={keys.map(({ name, prefix, ...counts }) => ({
            name: <Key {...{ name, prefix }} />,
            ...counts,
          }))}
        />
      )}
    </section>
  );
}

/** The days of one key or app. Until they arrive, the chart shows those of the previous choice. */
function useDays(summary: ActivitySummary, source: string) {
  const read = async (api: Api) =>
    source === everything ? summary.days : (await api.activity.days.query({ source })).days;
  const { content, failure } = useQuery(read, {
    of: useMemo(() => ({ summary, source }), [summary, source]),
  });
  return { days: content ?? summary.days, failure };
}

const Key = ({ name, prefix }: { name: string; prefix: string }) => (
  <>
    <bdi>{name}</bdi> <code class="note">{prefix}…</code>
  </>
);
