/** The OpenAPI document groups its operations under these tags. */
export const tagSentences = {
  Catalog: 'The games on offer, with their pricing plans.',
  Announcements: "The host's announcements to everyone.",
  Account: "The key owner's profile.",
  Servers:
    "The key owner's game servers, live from the provisioning panel: state, players, power, console, backups and schedules.",
  Files: "The files of the key owner's servers: list, read, write, fetch, move, delete, download.",
  Tickets: "The key owner's support tickets: list, read, open, reply, close, reopen.",
  Subscriptions: "The key owner's subscriptions, under opaque references.",
  Activity: "The activity of the owner's keys and apps: each call, and the sums by day and by key.",
  Webhooks: "Where the key owner's events are sent, and how their deliveries went.",
  Events: 'The requests that webhooks receive.',
  Support: "All customers' tickets, for the host's staff to read and answer.",
  Admin: 'For administrators: announcements, users, subscriptions, the catalog and webhooks.',
  Security: 'Reporting and ending leaked keys and tokens.',
  Description: 'This description of the API.',
} as const;

export type Tag = keyof typeof tagSentences;
