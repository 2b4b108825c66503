/** How the webhooks of customers show as MCP tools: an agent finds out why events do not arrive, and sends them again. */
import type { Audience } from '../models/webhook/schema.ts';
import type { ToolMeta } from './trpc.ts';

const webhookTools = {
  list: {
    name: 'list_my_webhooks',
    description:
      "Lists the user's webhooks, which send events such as a reply of support to an address, and why one is off. Their secrets are not shown.",
  },
  test: {
    name: 'test_webhook',
    openWorld: true,
    description:
      'Sends webhook.test to a webhook now, to see whether its receiver answers; it cannot be undone. list_webhook_deliveries shows how it went.',
  },
  listDeliveries: {
    name: 'list_webhook_deliveries',
    description:
      'Lists what was sent to a webhook in 30 days, newest first, with how each attempt ended. Take it when events do not arrive.',
  },
  redeliver: {
    name: 'redeliver_webhook_event',
    openWorld: true,
    description:
      'Sends the event of an earlier delivery to its webhook again, with the same webhook-id; it cannot be undone. Take it when the receiver has missed one and works again.',
  },
} as const satisfies Record<string, ToolMeta>;

/** Those of the host's webhooks are no tools. */
export const toolOf = (audience: Audience, name: keyof typeof webhookTools) =>
  audience === 'customer' ? { tool: webhookTools[name] } : {};
