/** Who an app is. Its name is its own words, so that it stands apart from ours; a verified host is a fact. */
import type { ComponentChildren } from 'preact';
import type { ConnectedApp } from '../api.ts';
import { Icon } from '../icon.tsx';

const Voucher = ({ host }: { host: string | null }) =>
  host === null ? (
    <span class="badge is-warning">Unverified name</span>
  ) : (
    <span class="badge is-success">
      <Icon name="shield" />
      Verified: {host}
    </span>
  );

interface Props {
  app: ConnectedApp['app'];
  /** Shown above the name. */
  children?: ComponentChildren;
}

export const AppIdentity = ({ app, children }: Props) => (
  <div class="app-identity">
    <span class="app-mark">
      <Icon name="plug" />
    </span>
    <div>
      {children}
      <h2>
        <bdi>{app.name}</bdi>
      </h2>
      <Voucher host={app.verified_host} />
    </div>
  </div>
);
