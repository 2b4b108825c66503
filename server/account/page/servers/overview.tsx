/** The first part of a server's page: its figures now and in the last hour, and what happens around it. */
import { Charts, Measured } from './figures.tsx';
import { StateChart, useSamples } from './hour-chart.tsx';
import { LastLines, OverviewCards } from './overview-cards.tsx';
import type { PartProps } from './part-props.ts';
import { usePlayers, WhoPlays } from './players.tsx';
import { conditionOf } from './server-facts.tsx';

export const Overview = (props: PartProps) => (
  <>
    {conditionOf(props.server) === null && <Usage {...props} />}
    <p class="note">
      Identifier: <code translate={false}>{props.server.identifier}</code>
    </p>
  </>
);

function Usage({ server, resources }: Pick<PartProps, 'server' | 'resources'>) {
  const players = usePlayers(server.identifier, resources?.state === 'running');
  const samples = useSamples(server.identifier, { resources, players });
  return (
    <>
      <div class="panel stack">
        <Charts {...{ server, resources, players, samples }} />
        {players && <WhoPlays players={players} />}
        <StateChart samples={samples} />
        {resources?.measured_at && (
          <p class="note">
            <Measured of={resources} />
          </p>
        )}
      </div>
      {resources && <OverviewCards server={server} />}
      {resources?.state === 'offline' && <LastLines server={server} />}
    </>
  );
}
