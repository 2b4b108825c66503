/** What a server uses, and what it did in the last hour. */
import { Figures, Measured } from './figures.tsx';
import { StateChart } from './hour-chart.tsx';
import type { PartProps } from './part.ts';
import { conditionOf } from './server-state.tsx';

export const Overview = ({ server, resources, samples }: PartProps) => (
  <div class="panel server">
    {conditionOf(server) === null && (
      <>
        <Figures server={server} resources={resources} samples={samples} />
        <StateChart samples={samples} />
        <p class="note">
          The last hour, as far as this page was open. {resources?.measured_at && <Measured of={resources} />}
        </p>
      </>
    )}
    <p class="note">
      Identifier: <code translate={false}>{server.identifier}</code>
    </p>
  </div>
);
