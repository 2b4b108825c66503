/** What a server uses, and what it did in the last hour. */
import { Figures, Measured } from './figures.tsx';
import { StateChart } from './hour-chart.tsx';
import type { PartProps } from './part.ts';
import { conditionOf } from './server-state.tsx';

/** Fewer samples tell nothing. */
const samplesMin = 5;

export function Overview({ server, resources, samples }: PartProps) {
  const hasCharts = samples.length >= samplesMin;
  return (
    <div class="panel stack">
      {conditionOf(server) === null && (
        <>
          <Figures server={server} resources={resources} samples={hasCharts ? samples : undefined} />
          {hasCharts && <StateChart samples={samples} />}
          <p class="note">
            {hasCharts && 'The last hour, as far as this page was open. '}
            {resources?.measured_at && <Measured of={resources} />}
          </p>
        </>
      )}
      <p class="note">
        Identifier: <code translate={false}>{server.identifier}</code>
      </p>
    </div>
  );
}
