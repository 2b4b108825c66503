/** The first part of a server's page: its figures now and in the last hour. */
import { Figures, Measured } from './figures.tsx';
import { StateChart } from './hour-chart.tsx';
import type { PartProps } from './part-props.ts';
import { usePlayers, WhoPlays } from './players.tsx';
import { conditionOf } from './server-facts.tsx';

const samplesMin = 5;

export function Overview({ server, resources, samples }: PartProps) {
  const hasCharts = samples.length >= samplesMin;
  const players = usePlayers(server.identifier, resources?.state === 'running');
  return (
    <div class="panel stack">
      {conditionOf(server) === null && (
        <>
          <Figures {...{ server, resources, players }} samples={hasCharts ? samples : undefined} />
          {players && <WhoPlays players={players} />}
          {hasCharts && <StateChart samples={samples} />}
          <p class="note">
            {hasCharts && 'The last hour, while this page was open. '}
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
