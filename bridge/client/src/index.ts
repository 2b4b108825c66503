/** The package `gamehost`: the client, its error, and the verification of webhooks. */
export type { GamehostOptions } from './connection.ts';
export { GamehostError } from './errors.ts';
export { Gamehost } from './gamehost.ts';
export type * from './generated/schemas.ts';
export type { CallOptions } from './send.ts';
export type { UploadedFile } from './uploads.ts';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from './webhooks.ts';
