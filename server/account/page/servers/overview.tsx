/** The first part of a server's page: its figures now and in the last hour, and what happens around it. */
import { formatDateTime, Time } from '../time.tsx';
import { conditionOf } from './conditions.ts';
import { Charts, DiskBar, startOf } from './figures.tsx';
import { StateChart, useSamples } from './hour-chart.tsx';
import { LastLines, OverviewCards } from './overview-cards.tsx';
import type { PartProps } from './part-props.ts';
import { usePlayers, WhoPlays } from './players.tsx';

type Props = Pick<PartProps, 'server' | 'resources'>;

/** The panel refuses all calls about a server in an unusual condition, so none is made. */
export const Overview = (props: PartProps) =>
  conditionOf(props.server) === null ? (
    <Usage {...props} />
  ) : (
    <div class="panel stack">
      <dl class="facts">
        <Identifier {...props} />
      </dl>
    </div>
  );

function Usage({ server, resources }: Props) {
  const { players, max } = usePlayers(server.identifier, resources?.state === 'running');
  const samples = useSamples(server.identifier, { resources, players });
  return (
    <>
      <div class="panel stack">
        <Charts {...{ server, resources, samples }} players={{ online: players?.online ?? null, max }} />
        {players && <WhoPlays players={players} />}
        <StateChart samples={samples} />
        <dl class="facts">
          <DiskBar {...{ server, resources }} />
          <Times of={resources} />
          <Identifier server={server} />
        </dl>
      </div>
      {resources?.state === 'offline' && <LastLines server={server} />}
      {resources && <OverviewCards server={server} />}
    </>
  );
}

function Times({ of: resources }: { of: Props['resources'] }) {
  const { measured_at = '', uptime_ms = null } = resources ?? {};
  return (
    <>
      <div>
        <dt>Started</dt>
        <dd>{measured_at && uptime_ms ? <Time iso={startOf(measured_at, uptime_ms)} isRelative /> : '–'}</dd>
      </div>
      <div>
        <dt>Measured</dt>
        <dd>{measured_at ? formatDateTime(measured_at) : '–'}</dd>
      </div>
    </>
  );
}

const Identifier = ({ server }: Pick<Props, 'server'>) => (
  <div>
    <dt>Identifier</dt>
    <dd>
      <code translate={false}>{server.identifier}</code>
    </dd>
  </div>
);
