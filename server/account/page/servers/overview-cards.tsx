/** The next schedule, last backup and open tickets of a server, and the end of its log while it is off. */
import type { ComponentChildren } from 'preact';
import { listedTicketsMax } from '../../../../models/bounds.ts';
import type { Backup, Schedule, Server } from '../api.ts';
import { scrollable } from '../code.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { serverAddress } from '../route.ts';
import { isOpen } from '../tickets/desk.ts';
import { formatDateTime, formatRelativeTime, Time } from '../time.tsx';
import { type Query, useQuery } from '../use-query.ts';
import { sizeOf } from './figures.tsx';
import { addressOfFile } from './paths.ts';

type Props = { server: Server };

/** Each list is read once. Render it when the state is known, so that the state is read first. */
export const OverviewCards = ({ server }: Props) => (
  <ul class="tiles" aria-label="Around the server">
    <NextSchedule server={server} />
    <LastBackup server={server} />
    <OpenTickets server={server} />
  </ul>
);

interface CardProps<Content> {
  server: Server;
  icon: IconName;
  title: string;
  partName: string;
  of: Pick<Query<Content>, 'content' | 'failure'>;
  children(content: Content): ComponentChildren;
}

function Card<Content>({ server, icon, title, partName, of, children }: CardProps<Content>) {
  const { content, failure } = of;
  return (
    <li class="panel stack">
      <h2 class="file-name">
        <Icon name={icon} />
        <a href={serverAddress(server.identifier, { partName })}>{title}</a>
      </h2>
      {content !== null ? (
        <div>{children(content)}</div>
      ) : (
        <p class="note" title={failure ?? undefined}>
          {failure === null ? '…' : '–'}
          {failure !== null && <span class="visually-hidden">{failure}</span>}
        </p>
      )}
    </li>
  );
}

function NextSchedule({ server }: Props) {
  const { identifier: server_identifier } = server;
  const query = useQuery(
    async (api) => (await api.servers.schedules.list.query({ server_identifier })).schedules,
  );
  return (
    <Card server={server} icon="clock" title="Next schedule" partName="schedules" of={query}>
      {(schedules) => {
        const next = nextOf(schedules);
        if (!next) return schedules.length === 0 ? 'No schedule yet' : 'No schedule is on';
        return <Named name={next.name}>{`${formatRelativeTime(next.at)}, ${formatDateTime(next.at)}`}</Named>;
      }}
    </Card>
  );
}

function nextOf(schedules: readonly Schedule[]): { name: string; at: string } | undefined {
  const planned = schedules.flatMap(({ name, is_active, next_run_at: at }) =>
    is_active && at !== null ? [{ name, at }] : [],
  );
  return planned.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))[0];
}

function LastBackup({ server }: Props) {
  const { identifier: server_identifier } = server;
  const query = useQuery(
    async (api) => (await api.servers.backups.list.query({ server_identifier })).backups,
  );
  return (
    <Card server={server} icon="archive" title="Last backup" partName="backups" of={query}>
      {(backups) => {
        const last = lastOf(backups);
        if (!last) return 'No backup yet';
        return (
          <Named name={last.name}>
            <Time iso={last.created_at} isRelative />, {sizeOf(last.bytes)}
          </Named>
        );
      }}
    </Card>
  );
}

const lastOf = (backups: readonly Backup[]): Backup | undefined =>
  backups
    .filter(({ is_successful }) => is_successful)
    .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at))[0];

function OpenTickets({ server }: Props) {
  const query = useQuery(async (api) => {
    const { tickets } = await api.tickets.list.query({ limit: listedTicketsMax });
    return tickets.filter((each) => each.service_reference === server.identifier && isOpen(each));
  });
  return (
    <Card server={server} icon="chat" title="Tickets" partName="tickets" of={query}>
      {([newest, ...others]) =>
        newest ? <Named name={newest.subject}>{1 + others.length} open</Named> : 'No open tickets'
      }
    </Card>
  );
}

const Named = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <strong dir="auto">{name}</strong>
    <p class="note">{children}</p>
  </>
);

/** Where Minecraft and its kin write their log. The console of a server that is off shows nothing. */
const logPath = '/logs/latest.log';
const lineCount = 12;

/** Shows nothing for a game that writes no such log. */
export function LastLines({ server: { identifier: server_identifier } }: Props) {
  const { content: log } = useQuery(async (api) => {
    const request = { server_identifier, file: logPath, tail: lineCount };
    return (await api.servers.files.read.query(request)).file.content.trimEnd();
  });
  if (!log) return null;
  return (
    <div class="panel stack">
      <h2 class="file-name">
        <Icon name="terminal" />
        <a href={addressOfFile(server_identifier, logPath)}>Last lines of the log</a>
      </h2>
      <div class="console" translate={false} {...scrollable('Last lines of the log')}>
        {log.split('\n').map((line, index) => (
          <div key={index} dir="auto">
            {line}
          </div>
        ))}
      </div>
    </div>
  );
}
