/** Addresses of chats that would refuse our events, as they take messages of their own form only. */

const chats: readonly { name: string; host: RegExp }[] = [
  { name: 'Slack', host: /(?:^|\.)hooks\.slack(?:-gov)?\.com$/ },
  { name: 'Google Chat', host: /^chat\.googleapis\.com$/ },
  { name: 'Microsoft Teams', host: /(?:\.webhook\.office\.com|^outlook\.office(?:365)?\.com)$/ },
  { name: 'Telegram', host: /^api\.telegram\.org$/ },
];

/** Null for any other address. */
export function chatRefusal(address: string): string | null {
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '') : '';
  const chat = chats.find((each) => each.host.test(host));
  return chat
    ? `is of ${chat.name}, which does not take these events: use the address of a program or an automation service that passes them on to ${chat.name}; a Discord webhook works as it is`
    : null;
}
