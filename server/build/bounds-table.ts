/** Writes the tables of bounds in operations/reference.md, from the constants that the code reads. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as bounds from '../../models/bounds.ts';
import { staffTextLimits } from '../../models/staff-texts.ts';
import { hourSeconds, minuteMs, minuteSeconds } from '../../models/support/durations.ts';
import { ticketLimits } from '../../models/ticket/reply.ts';
import { writeBodyBytesMax } from '../../routers/files/files.ts';
import { fileTextBytesMax } from '../../routers/files/text.ts';
import * as account from '../account/account-limits.ts';
import { signInStarts } from '../account/single-sign-on.ts';
import { readConfig } from '../config.ts';
import { perReceiver } from '../events/sender.ts';
import { waitMsMax } from '../http/end-of-wait.ts';
import { ipv6SiteFactor } from '../limit/addresses.ts';
import { largeOfProcessMax, reservedShare, shareOfUser, slotsOfUser } from '../limit/admission.ts';
import { shareOfOne, shareOfVisitors } from '../limit/byte-budget.ts';
import * as limits from '../limit/rate-limit.ts';
import { addressLimits } from '../oauth/oauth.ts';
import { socketsMax } from '../panel/console.ts';
import { fetchedBytesMax } from '../panel/file-digest.ts';
import { changingTtlMs } from '../panel/live-state.ts';
import { panelDefaults as panel } from '../panel/options.ts';
import { staleMsMax } from '../panel/reads.ts';
import { concurrentCallsPerCustomer, concurrentWritesPerCustomer } from '../panel/settings.ts';
import * as players from '../players/players.ts';

type Row = [what: string, bound: string | number];

const KiB = 1024;
const count = (value: number) => value.toLocaleString('en');
const bytes = (size: number) => (size < KiB ** 2 ? `${size / KiB} KiB` : `${size / KiB ** 2} MiB`);
const time = (ms: number) => (ms < minuteMs ? `${ms / 1000} s` : `${ms / minuteMs} min`);
const part = (share: number) => `${share * 100} %`;
const perMinute = (max: number) => `${max} a minute`;
const perHour = (max: number) => `${max} an hour`;
const within = ({ max, seconds }: { max: number; seconds: number }) => {
  if (seconds === minuteSeconds) return perMinute(max);
  return seconds === hourSeconds ? perHour(max) : `${max} in ${time(seconds * 1000)}`;
};
const slots = ({ runningMax, waitingMax }: { runningMax?: number; waitingMax?: number }) =>
  `${runningMax}, and ${waitingMax} waiting`;

const settings = readConfig({});

const requests: Row[] = [
  ['body of a request', bytes(bounds.bodyBytesMax)],
  ['body of an MCP message or of a file write', bytes(writeBodyBytesMax)],
  ['body of a request without a key or a session', bytes(bounds.visitorBodyBytesMax)],
  ['body of a tRPC batch, and the response to any batch', bytes(bounds.batchBytesMax)],
  ['calls in a batch', bounds.batchCallsMax],
  ['fields and items in a body', `about ${count(bounds.jsonTokensMax / 2)}`],
  ['fields and items in an MCP message', `about ${count(bounds.mcpTokensMax / 2)}`],
  ['chunks of less than 256 bytes in a body', count(bounds.smallChunksMax)],
  ['headers of a request, and fields in its query', bounds.headFieldsMax],
  ['characters in `Accept`', bounds.parsedHeaderLengthMax],
  ['characters in `Idempotency-Key`', bounds.idempotencyKeyLengthMax],
  ['time in which the response to an `Idempotency-Key` is repeated', `${bounds.idempotencyHours} h`],
  ['requests of one connection without a complete response', bounds.pipelinedRequestsMax],
  ['longest pause of a client that reads a large response', time(bounds.idleMsMax)],
  ['slowest rate at which a client reads a large response', `${bytes(bounds.bytesPerSecondMin)} a second`],
  ['request bodies that a process holds', bytes(settings.requestBytesMax)],
  ['responses that a process holds', bytes(settings.responseBytesMax)],
  [
    "share of held request bodies, or of held responses, for one user or one visitor's address",
    part(shareOfOne),
  ],
  ['share of held request bodies, or of held responses, for all visitors', part(shareOfVisitors)],
  ['host names that get their own documents, without `PUBLIC_URL`', bounds.cachedBaseUrlsMax - 1],
];

const calls: Row[] = [
  ['calls of one key', `\`RATE_LIMIT_PER_MINUTE\` (${settings.rateLimitPerMinute})`],
  ['requests in progress in a process', `\`MAX_IN_FLIGHT\` (${settings.inFlightMax})`],
  ['share of requests in progress for one user, including waiting ones', part(shareOfUser)],
  ['share reserved for users with no request in progress', part(reservedShare)],
  ['calls of one user at once', slots(slotsOfUser.ordinary)],
  ['calls of one user that need the panel', slots(slotsOfUser.panel)],
  ['calls of one user with large results', slots(slotsOfUser.large)],
  ['calls of one user that list schedules', slots(slotsOfUser.largePanel)],
  ['calls of one user that wait for a result (`wait`)', slotsOfUser.waiting.runningMax ?? ''],
  ['longest wait for a result, from the arrival of the request', time(waitMsMax)],
  ['calls of all users with large results', largeOfProcessMax],
  ['results of one user in a process', `${bytes(bounds.resultBytesMax)} a minute`],
  ['pages and descriptions that one user loads with keys', within(limits.uncountedRequestWindow)],
  ['MCP messages of one user that are not calls', within(limits.messageWindow)],
  ['requests of one user from the account page', within(limits.sessionRequestWindow)],
  ['limits and networks that a process remembers', `${count(2 * bounds.rememberedCallersMax)} of each`],
];

const signIns: Row[] = [
  ['failed sign-ins to one account', within(account.failures.account)],
  ['failed sign-ins from one IPv4 address or IPv6 /64', within(account.failures.address)],
  ['failed sign-ins from one IPv6 /48', within(account.failures.site)],
  ['attempts of one user to change the password', within(account.failures.user)],
  ['wrong codes of one user for a second factor', within(account.failures.factor)],
  ['links by mail to one address', within(account.mailedLinks.account)],
  ['links by mail that one IPv4 address or IPv6 /64 requests', within(account.mailedLinks.network)],
  ['links by mail that one IPv6 /48 requests', within(account.mailedLinks.site)],
  [
    'requests without a key or a session from one IPv4 address or IPv6 /64',
    `\`ADDRESS_LIMIT_PER_MINUTE\` (${settings.addressLimitPerMinute})`,
  ],
  ['sign-ins at the identity provider that one address begins', within(signInStarts)],
  ['authorizations of apps that one address begins', perMinute(addressLimits.authorize)],
  ['authorizations of apps that one address continues', perMinute(addressLimits.resume)],
  ['token requests from one address', perMinute(addressLimits.token)],
  ['new apps that one address registers', perHour(addressLimits.register)],
  ['the six limits above, for an IPv6 /48', `${ipv6SiteFactor} times as many`],
  ['reports of leaked keys from one address', within(account.leakReports)],
  ['passwords that wait for each hashing thread', account.queuedPerThread],
];

const { customer, host } = bounds.destinationsMax;

const belongings: Row[] = [
  ['live keys', bounds.liveKeysMax],
  ['new or rotated keys', account.newKeys.map(within).join(', ')],
  ['servers, or addresses, to which one key is restricted', bounds.restrictionsMax],
  ['sessions', bounds.sessionsMax],
  ['authenticator apps, and as many passkeys', bounds.factorsMax],
  ['recovery codes', bounds.recoveryCodesCount],
  ['shortest password', `${bounds.passwordLengthMin} characters`],
  ['connected apps', bounds.grantsMax],
  ['redirect addresses of one app', bounds.redirectsMax],
  ['metadata document of one app', bytes(bounds.appDocumentBytesMax)],
  ['registered apps to which no one has signed in, for all users', count(bounds.unusedAppsMax)],
  ['webhooks', `${customer}; an administrator has ${host} of the host's`],
];

const tickets: Row[] = [
  ['open tickets of one customer', bounds.openTicketsMax],
  ['tickets that one customer opens in 24 h', `\`TICKETS_PER_DAY\` (${settings.ticketsPerDay})`],
  ["customer's text in one ticket", bytes(ticketLimits.customerBytes)],
  ["customer's messages in one ticket", count(ticketLimits.messages.customer)],
  ['all text in one ticket', bytes(ticketLimits.bytes)],
  ['all messages in one ticket', count(ticketLimits.messages.staff)],
  ['page of messages', bytes(bounds.pageBytesMax)],
  ['internal notes of one ticket, or saved answers together', staffTextLimits.texts],
  ['text of these notes, or of these answers', bytes(staffTextLimits.bytes)],
  ['newest subjects that a search reads', count(bounds.searchedTicketsMax)],
  ['tickets that a search of subjects finds', count(bounds.foundTicketsMax)],
  ['words in a search', bounds.searchedWordsMax],
  ['customers whose tickets a search by e-mail address shows', bounds.foundCustomersMax],
  ['tickets that a search or a view of the staff lists', bounds.listedTicketsMax],
  ['items in most other lists, and the highest count of tickets', bounds.pageSizeMax],
];

const { samplesMax } = bounds;
const sampleMiB = (samplesMax.servers * samplesMax.ofServer * bounds.sampleBytes) / KiB ** 2;

const panelAndGames: Row[] = [
  [
    'panel calls that one customer causes, plus one for each of its servers',
    `\`PANEL_CALLS_PER_CUSTOMER\` (${panel.callsPerCustomer}) a minute`,
  ],
  [
    'panel calls in progress that need a node, and as many that need none',
    `\`PANEL_NODE_CALLS\` (${panel.nodeCalls})`,
  ],
  ['panel calls of one customer in progress', concurrentCallsPerCustomer],
  ['writes of one customer in progress that take several panel calls', concurrentWritesPerCustomer],
  ['longest wait of a call for its place', time(panel.queueMs)],
  ['longest time that a call keeps its place, even if its caller has gone', time(panel.clientTimeoutMs)],
  ['response time from which a node is slow', time(panel.slowMs)],
  [
    'pause before a slow node is called again',
    `${time(panel.pauseMs.shortest)}, doubled up to ${time(panel.pauseMs.longest)}`,
  ],
  ['failed calls in a row after which the panel counts as down', panel.failureThreshold],
  ['oldest list or state that is served to spare the panel', time(staleMsMax)],
  ['shortest time between two measurements of one server', time(changingTtlMs)],
  ['samples of the last hour that a process keeps of one server', samplesMax.ofServer],
  [
    'servers of which a process keeps samples',
    `${samplesMax.servers}; ${samplesMax.serversOfOwner} of one customer`,
  ],
  ['memory for these samples', `about ${Math.ceil(sampleMiB)} MiB`],
  ['sockets to nodes, for consoles and states', socketsMax.total],
  ['sockets to one node', socketsMax.total - 1],
  ["sockets for one customer's servers", socketsMax.ofOwner],
  ['lines in one read of a console', bounds.consoleLinesMax],
  ['text of a file that is read or written', bytes(fileTextBytesMax)],
  ['file that a node fetches from an address', bytes(fetchedBytesMax)],
  ['files that nodes fetch for one customer', `${panel.pullsPerCustomer} in 5 min`],
  ['shortest time between two queries of one game', time(players.queryIntervalMs)],
  [
    'pause after a game did not answer',
    `${time(players.unansweredMs)}, doubled up to ${time(players.unansweredMsMax)}`,
  ],
  ['longest wait for the answer of a game', time(players.queryMsMax)],
  ['games queried at once', `${players.queriesMax}; ${players.queriesPerOwnerMax} of one customer`],
];

const { concurrentAttemptsMax: attempts, waitingDeliveriesMax: waiting } = bounds;

const webhooksAndMail: Row[] = [
  ['attempts of a process at once', attempts.process],
  ['attempts reserved for owners with none in progress, one each', attempts.process - attempts.shared],
  ['attempts of one owner at once', attempts.owner],
  ['attempts of one webhook at once', attempts.webhook],
  ['attempts of one webhook at once while it fails', attempts.failing],
  ['attempts of one Discord webhook at once', attempts.discord],
  ['deliveries of one customer to one host name', `${perReceiver.max} a second`],
  ['waiting deliveries of one webhook', count(waiting.customer)],
  ["waiting deliveries of one of the host's webhooks, or of mail", count(waiting.host)],
  ['body of an event', `less than ${count(bounds.eventBytesMax)} bytes`],
  ["part of a receiver's response that is read", bytes(bounds.receiverBytesMax)],
  ['notices by mail to one customer, and to support about one customer', perHour(bounds.noticesPerHourMax)],
  ['mails about security, of one kind to one address', perHour(bounds.securityNoticesPerHourMax)],
  ['characters of a message in a mail', bounds.mailedLengthMax],
  ['connections to the mail server for notices, and as many for links', bounds.smtpConnectionsMax],
];

const chapters = {
  'Requests and responses': requests,
  Calls: calls,
  'Sign-ins and visitors': signIns,
  'Keys, sessions, apps and webhooks of one user': belongings,
  Tickets: tickets,
  'Panel and games': panelAndGames,
  'Webhooks and mail': webhooksAndMail,
};

/** Aligns the columns as `biome check --write` does. */
function writeTable(rows: Row[]): string {
  const cells = [['bound', 'value'], ...rows.map((row) => row.map(String))];
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const [head = '', ...lines] = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...lines].join('\n');
}

const [begin, end] = ['<!-- bounds: npm run format writes these tables -->', '<!-- end of bounds -->'];

export function withBounds(reference: string): string {
  const [before = ''] = reference.split(begin);
  const [, after = ''] = reference.split(end);
  const tables = Object.entries(chapters).map(([title, rows]) => `### ${title}\n\n${writeTable(rows)}`);
  return [`${before}${begin}`, ...tables, `${end}${after}`].join('\n\n');
}

const path = new URL('../operations/reference.md', import.meta.url);

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(path, withBounds(readFileSync(path, 'utf8')));
