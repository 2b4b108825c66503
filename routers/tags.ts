/** The closed list of tags, under which the description of the API groups its operations, a sentence each. */
export const tagSentences = {
  Catalog: 'The games on offer, with their pricing plans.',
  Announcements: 'What the host announces to everybody.',
  Account: "The key owner's profile.",
  Servers:
    "The key owner's game servers, live from the provisioning panel: state, power signals and backups.",
  Files: "The files of the key owner's servers: list, read, write, move, delete, download.",
  Tickets: "The key owner's support tickets: list, read, open, reply, close.",
  Subscriptions: 'What the key owner pays for, under opaque references.',
  Activity: "What the owner's keys and apps did: each call, and the sums by day and by key.",
  Webhooks: "Where the key owner's events are sent, and how their deliveries went.",
  Support: "All customers' tickets, as the host's staff reads and answers them.",
  Admin: 'What administrators manage: announcements, users, subscriptions and the catalog.',
  Security: 'What to do with keys and tokens that have leaked.',
  Description: 'This description of the API.',
} as const;

export type Tag = keyof typeof tagSentences;
