/** A whole ticket for `ticket show`: read page by page, and as text that is safe on a terminal. */
import type { Models } from '../../models/index.ts';
import { readAnyTicket } from '../../routers/conversations.ts';
import { messagesMax } from '../../routers/schemas/conversation.ts';
import { printable } from './table.ts';

/** @throws not_found */
export async function readConversation(models: Models, id: number) {
  const read = (after: number) =>
    readAnyTicket({ models, clock: Date.now }, { ticket_id: id, after, limit: messagesMax });
  let page = await read(0);
  const { ticket } = page;
  const messages = [...page.messages];
  while (page.has_more) {
    page = await read(messages.length);
    messages.push(...page.messages);
  }
  return { ticket, messages };
}

export function formatConversation({
  ticket,
  messages,
}: Awaited<ReturnType<typeof readConversation>>): string {
  const { id, subject, status, user, service_name } = ticket;
  const about = service_name === null ? '' : `, about ${printable(service_name)}`;
  const head = `Ticket ${id}, ${status}: ${printable(subject)}\nOf ${printable(user.email)}${about}`;
  const parts = messages.map(({ number, author, name, created_at, message }) => {
    const lines = message.split(/\r?\n/).map((line) => `  ${printable(line)}`.trimEnd());
    return [`${number}. ${printable(name)} (${author}), ${created_at}`, ...lines].join('\n');
  });
  return [head, ...parts].join('\n\n');
}
