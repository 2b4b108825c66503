/** The closed list of tags, under which the description of the API groups its operations, a sentence each. */
export const tagSentences = {
  Catalog: 'The games on offer, with their pricing plans.',
  Announcements: 'What the host announces to everybody.',
  Account: "The key owner's profile.",
  Servers: "The key owner's game servers, live from the provisioning panel, and power signals to them.",
  Tickets: "The key owner's support tickets: list, open, reply.",
  Subscriptions: 'What the key owner pays for, under opaque references.',
  Admin: 'Announcements as administrators write them, drafts too.',
  Description: 'This description of the API.',
} as const;

export type Tag = keyof typeof tagSentences;
