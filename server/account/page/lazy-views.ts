/** The views that few users open, or rarely. Their code is not in the script that the page starts with. */
import { ConnectSkeleton } from './apps/connect-frame.tsx';
import { lazy } from './lazy.tsx';
import { ListSkeleton } from './view.tsx';

export const ActivityView = lazy(async () => (await import('./activity/activity-view.tsx')).ActivityView);
export const AdminView = lazy(async () => (await import('./admin/admin-view.tsx')).AdminView);
export const Connect = lazy(async () => (await import('./apps/connect.tsx')).Connect, ConnectSkeleton);
export const ConnectedApps = lazy(async () => (await import('./apps/connected-apps.tsx')).ConnectedApps);
export const SecurityView = lazy(async () => (await import('./security/security-view.tsx')).SecurityView);
export const SubscriptionsView = lazy(
  async () => (await import('./subscriptions/subscriptions-view.tsx')).SubscriptionsView,
);
export const WebhooksView = lazy(async () => (await import('./webhooks/webhooks-view.tsx')).WebhooksView);

/** The parts of a server's page, except its overview. */
export const BackupsPart = lazy(
  async () => (await import('./servers/backups.tsx')).BackupsPart,
  ListSkeleton,
);
export const ConsolePart = lazy(
  async () => (await import('./servers/console.tsx')).ConsolePart,
  ListSkeleton,
);
export const FilesPart = lazy(async () => (await import('./servers/files-part.tsx')).FilesPart, ListSkeleton);
export const SchedulesPart = lazy(
  async () => (await import('./servers/schedules-part.tsx')).SchedulesPart,
  ListSkeleton,
);
export const StartupPart = lazy(
  async () => (await import('./servers/startup-part.tsx')).StartupPart,
  ListSkeleton,
);
