/**
 * The bounds that callers can run into, with their reasons. The bounds that an operator sets are in server/config.ts. The
 * bounds on load for the panel and its nodes are in server/panel/.
 */

// Requests and responses

/** A text of 10,000 characters takes up to 120,000 bytes if each is escaped; the rest is for the other fields. */
export const bodyBytesMax = 256 * 1024;
/** For visitors' requests, and for the keys at an app's `jwks_uri`. Forms, and reports of 100 leaked secrets, are shorter. */
export const visitorBodyBytesMax = 32 * 1024;
/** Valid input has less than a tenth of this many fields and items. Parsing hundreds of thousands would block the process. */
export const jsonTokensMax = 20_000;
/** A batch of 50 tool calls has fewer tokens. MCP's SDK copies each field several times, so this is below `jsonTokensMax`. */
export const mcpTokensMax = 4000;
/**
 * For headers, and for fields in the query. Each header costs time, and Koa's time for the query grows with the square of its
 * fields. If a header appears twice, a proxy may read only the first.
 */
export const headFieldsMax = 100;
/** Browsers send shorter Accept and User-Agent headers, whose parsers take time that grows with the square of the length. */
export const parsedHeaderLengthMax = 512;
/** Chunks under 256 bytes in a request. Clients send kilobytes per chunk, and a small one costs as much time as a large one. */
export const smallChunksMax = 1000;
/** Clients that pipeline send only a few requests ahead; one packet can hold thousands. */
export const pipelinedRequestsMax = 8;
/** Time without progress. The limit is long because the kernel buffers megabytes before any progress shows. */
export const idleMsMax = 20_000;
/** A client that reads more slowly holds a response in memory for too long. */
export const bytesPerSecondMin = 16 * 1024;
/** For a batch in tRPC or MCP. Each call of the batch takes its own slot and record. */
export const batchCallsMax = 50;
/** A batch's request and its response are each held in memory in full. */
export const batchBytesMax = 16 * bodyBytesMax;
/** The key is stored, so its length is bounded. */
export const idempotencyKeyLengthMax = 255;
export const idempotencyHours = 24;
/** The log and the audit cut a caller's text to this many characters. */
export const loggedLengthMax = 200;
/** Problems with an input in one message, and causes of a failure in one log line. There can be thousands of either. */
export const namedIssuesMax = 5;
/** A message may name an unknown field, whose name comes from the caller. */
export const namedFieldLengthMax = 64;
/** Clients choose the Host header, so only this many base URLs have their own documents; all others share one. */
export const cachedBaseUrlsMax = 8;
/** A process remembers at most twice this many callers, networks and full rate-limit windows. */
export const rememberedCallersMax = 100_000;
/** Writes of one kind that a process buffers while MongoDB accepts none: audit entries, times of use, leases to end. */
export const bufferedWritesMax = 20_000;

// Lists and searches

/** For most lists in requests and responses, and for the counts in a view. Consoles and ticket lists may be longer. */
export const pageSizeMax = 100;
/** A search or a staff view of tickets has no further pages, so its one list shows more of them. */
export const listedTicketsMax = 200;
export const consoleLinesMax = 200;
/** For charts of the last hour. */
export const samplesMax = { ofServer: 360, serversOfOwner: 20, servers: 300 };
/** Measured on a 64-bit system. */
export const sampleBytes = 130;
export const summaryDaysMax = 30;
/** Measured as JSON. A page of messages ends before the message that would exceed this. */
export const pageBytesMax = 512 * 1024;
/** Results that one process sends to one user per minute. Large ones take time on the single thread, while other users wait. */
export const resultBytesMax = 32 * 1024 * 1024;
/** A search reads only the subjects of the newest tickets, up to this many. */
export const searchedTicketsMax = 100_000;
export const foundTicketsMax = 1000;
/** A search uses only this many words, because each is looked for in up to `searchedTicketsMax` subjects. */
export const searchedWordsMax = 8;
export const foundCustomersMax = 20;
/** All credentials that we issue are shorter. */
export const credentialLengthMax = 256;
/** Addresses or servers that one key is restricted to. Each call is compared with all of them. */
export const restrictionsMax = 50;

// Texts

/** No browser accepts much longer URLs. */
export const urlLengthMax = 2000;
/** Apps and devices choose their names, so the length is bounded. */
export const nameLengthMax = 100;
/** For each text that an identity provider sends about a user, and for stored nicknames. */
export const profileTextLengthMax = 200;
/** NIST SP 800-63B requires at least eight. */
export const passwordLengthMin = 12;
/** Only this much of a new password is rated, because rating takes time. Further characters only make guessing harder. */
export const ratedLengthMax = 64;

// Per customer

export const liveKeysMax = 25;
/** The staff must answer each open ticket. */
export const openTicketsMax = 100;
/** Second factors of each kind. */
export const factorsMax = 10;
/** For a public key in COSE. A 4096-bit RSA key fits; longer keys make each check expensive. */
export const passkeyBytesMax = 600;
/** Part of the public contract. Each code replaces a second factor once. */
export const recoveryCodesCount = 10;
/** Sessions; beyond this, the least recently used ones end. */
export const sessionsMax = 100;
/** Unfinished sign-ins of one browser at the identity provider. Their cookies must fit into a request. */
export const providerSignInsMax = 8;
/** Webhooks per customer, and per administrator for the host's events. */
export const destinationsMax = { customer: 10, host: 20 } as const;
/** Deliveries that wait for one destination. An import of all customers reaches the host's destinations at once. */
export const waitingDeliveriesMax = { customer: 10_000, host: 100_000 } as const;

// Apps

export const grantsMax = 50;
/**
 * A grant has up to this many stored refresh tokens that are used, and as many unused ones, because processes of an app may
 * renew at the same time. An older token is recognized by its family.
 */
export const refreshTokensMax = 20;
/** A visitor can register apps. Beyond this many unused registrations, the oldest are deleted. */
export const unusedAppsMax = 10_000;
export const redirectsMax = 10;
export const redirectLengthMax = 500;
/** For an app's metadata document; the keys at its `jwks_uri` may be longer. */
export const appDocumentBytesMax = 5 * 1024;
/** A signature that names no key is checked with each of them. */
export const appKeysMax = 20;
/** Public exponents of RSA keys are short. With an exponent as long as the key, a check costs as much as a signature. */
export const exponentLengthMax = 8;

// Mail

/** Part of the public contract: mails to one customer, and to support about one customer. One mail collects further notices. */
export const noticesPerHourMax = 60;
/** For notices about account security, of one type to one address. */
export const securityNoticesPerHourMax = 5;
/** A mail that collects further notices names only the newest ones, up to this many. */
export const collectedNoticesMax = 100;
/** Part of the public contract: a mail quotes at most this many characters of a ticket. */
export const mailedLengthMax = 500;
/** Connections for notices; mail with links uses as many again. Providers refuse too many at once. */
export const smtpConnectionsMax = 5;

// Webhooks

/** Beyond `shared`, an attempt starts only if its owner has none in progress. Discord accepts five messages in two seconds. */
export const concurrentAttemptsMax = {
  process: 200,
  shared: 180,
  owner: 16,
  webhook: 8,
  discord: 2,
  failing: 2,
} as const;
/** Part of the public contract: the body of an event is shorter than this. */
export const eventBytesMax = 20_000;
/** Part of the public contract: the sender reads only this much of a receiver's response and ignores the rest. */
export const receiverBytesMax = 4 * 1024;
/** Each interim response costs time, so an attempt ends when the receiver sends more. */
export const interimResponsesMax = 8;
