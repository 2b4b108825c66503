/**
 * The bounds that a caller meets, each with its reason. Two kinds are elsewhere: what the operator sets (server/config.ts), and
 * what the panel and its nodes may take (server/panel/).
 */

// Requests and responses

/** 10,000 characters take up to 120,000 bytes when every one is escaped; the rest is for the other fields. */
export const bodyBytesMax = 256 * 1024;
/** What a visitor may send, or an app has as its keys: a hundred leaked credentials are less, and no form needs as much. */
export const visitorBodyBytesMax = 32 * 1024;
/** No input has a tenth of this many fields and items. Parsing hundreds of thousands would block the process. */
export const jsonTokensMax = 20_000;
/** A batch of 50 tool calls has less. MCP's SDK copies each field several times, so the bound is lower than elsewhere. */
export const mcpTokensMax = 4000;
/** Headers, and fields of the query, which Koa reads in a time that grows with their square. A proxy may read only the first of two. */
export const headFieldsMax = 100;
/** Browsers send less of Accept and User-Agent, whose parsers take a time that grows with the square of the length. */
export const parsedHeaderLengthMax = 512;
/** Of a body, those under 256 bytes. Clients send chunks of kilobytes; each small one costs as much time as a large one. */
export const smallChunksMax = 1000;
/** Clients that pipeline at all send a few requests ahead; one packet can hold thousands. */
export const pipelinedRequestsMax = 8;
/** The kernel takes megabytes before a client shows any progress, so the time without any is long. */
export const idleMsMax = 20_000;
/** A client that reads more slowly holds a response in memory for too long. */
export const bytesPerSecondMin = 16 * 1024;
/** Of tRPC and MCP: each call takes a place and a record of its own. */
export const batchCallsMax = 50;
/** Of a batch, its request as well as its response, which are held in memory whole: sixteen of the largest bodies. */
export const batchBytesMax = 16 * bodyBytesMax;
/** A key is stored with its response. */
export const idempotencyKeyLengthMax = 255;
/** How long the first response to an Idempotency-Key is repeated. */
export const idempotencyHours = 24;
/** What the log and the audit hold of a text that a caller chose. */
export const loggedLengthMax = 200;
/** Problems with an input that one message names, and causes of a failure in a line of the log; there can be thousands. */
export const namedIssuesMax = 5;
/** Of an unknown field's name, which comes from the caller. */
export const namedFieldLengthMax = 64;
/** Clients choose the Host header, so only so many base URLs have documents of their own; all others share one. */
export const cachedBaseUrlsMax = 8;
/** Half of the callers, networks and full windows that a process remembers at most. */
export const rememberedCallersMax = 100_000;
/** What is held of one kind while MongoDB takes no writes: audit entries, times of use, leases that are to end. */
export const bufferedWritesMax = 20_000;

// Lists and searches

/** Of most lists that are sent or received, and of what is counted for a view; a console and the lists of tickets have more. */
export const pageSizeMax = 100;
/** Tickets have no further pages in a search or a view of the staff, so that one list shows more of them. */
export const listedTicketsMax = 200;
/** Of one read of a console. */
export const consoleLinesMax = 200;
/** Days that a summary can show. */
export const summaryDaysMax = 30;
/** A page of messages ends before the one with which it would be larger as JSON. */
export const pageBytesMax = 512 * 1024;
/** Results of one user in a minute, in a process: large ones take time of the one thread, for which others wait. */
export const resultBytesMax = 32 * 1024 * 1024;
/** How many tickets a search of subjects looks at: the newest ones. */
export const searchedTicketsMax = 100_000;
/** How many tickets a search of subjects may find. */
export const foundTicketsMax = 1000;
/** Of how many words a search takes notice: each is looked for in as many subjects. */
export const searchedWordsMax = 8;
/** Of how many customers a search by e-mail address shows the tickets. */
export const foundCustomersMax = 20;
/** Ours are shorter. */
export const credentialLengthMax = 256;
/** Addresses, or servers, to which one key is restricted: each call is compared with all of them. */
export const restrictionsMax = 50;

// Texts

/** No browser takes much longer ones. */
export const urlLengthMax = 2000;
/** Of the names of apps and devices, which come from them. */
export const nameLengthMax = 100;
/** Of what an identity provider tells about a user; the longest nickname that is stored. */
export const profileTextLengthMax = 200;
/** NIST SP 800-63B asks for eight at least. */
export const passwordLengthMin = 12;
/** Of a new password, only so much is rated, as that takes time; more can only make it harder to guess. */
export const ratedLengthMax = 64;

// What a customer keeps

/** Live API keys. */
export const liveKeysMax = 25;
/** Open tickets, which the staff must answer. */
export const openTicketsMax = 100;
/** Second factors of either kind. */
export const factorsMax = 10;
/** Of a public key, in COSE: one of RSA with 4096 bits. Longer ones make each check expensive. */
export const passkeyBytesMax = 600;
/** Contract 5: each signs in once in place of a second factor. */
export const recoveryCodesCount = 10;
/** Sessions; those used least recently end. */
export const sessionsMax = 100;
/** Sign-ins at the identity provider that a browser may have begun: their cookies must fit into a request. */
export const providerSignInsMax = 8;
/** Webhooks of a customer, and of an administrator for the host. */
export const destinationsMax = { customer: 10, host: 20 } as const;
/** Deliveries that wait for one destination; an import of all customers comes to the host's at once. */
export const waitingDeliveriesMax = { customer: 10_000, host: 100_000 } as const;

// Apps

/** Apps to which a user is signed in. */
export const grantsMax = 50;
/**
 * Refresh tokens of one grant that are stored: used ones, and unused ones, of which processes of an app that renew at once get
 * several. An older one is known by its family.
 */
export const refreshTokensMax = 20;
/** A visitor can register apps: of the unused registrations beyond this, the oldest are deleted. */
export const unusedAppsMax = 10_000;
/** Addresses to which one app may send its users. */
export const redirectsMax = 10;
/** Of such an address. */
export const redirectLengthMax = 500;
/** Of what describes an app; its keys at a `jwks_uri` are longer. */
export const appDocumentBytesMax = 5 * 1024;
/** Each is tried for a signature that names none. */
export const appKeysMax = 20;
/** Public exponents of RSA keys are short; one as long as its key makes a check cost what a signature does. */
export const exponentLengthMax = 8;

// Mail

/** Contract 4: in an hour, to a customer, and to support about a customer. Further ones are sent together in one mail. */
export const noticesPerHourMax = 60;
/** Those about the security of an account, of one type to one address. */
export const securityNoticesPerHourMax = 5;
/** The newest are named in the one. */
export const collectedNoticesMax = 100;
/** Contract 4: no more of a ticket is sent by mail. */
export const mailedLengthMax = 500;
/** To the SMTP server, for notices and as many for links; providers refuse many at once. */
export const smtpConnectionsMax = 5;

// Webhooks

/** Attempts at once; beyond `shared`, an owner with none in progress gets one. Discord takes five messages in two seconds. */
export const concurrentAttemptsMax = {
  process: 200,
  shared: 180,
  owner: 16,
  webhook: 8,
  discord: 2,
  failing: 2,
} as const;
/** Contract 3: the body of an event is shorter than this. */
export const eventBytesMax = 20_000;
/** Contract 3: of a receiver's response; the rest is ignored. */
export const receiverBytesMax = 4 * 1024;
/** A receiver that sends more interim responses, each of which costs time, is left. */
export const interimResponsesMax = 8;
