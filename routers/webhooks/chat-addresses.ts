/** Addresses of chats: of Discord, which the account page recognizes, too, and of those that would refuse our events. */

/** Its path, or that of a service that takes the same; what follows the id is its secret. */
export const discordPath = /^\/api(?:\/v\d+)?\/webhooks\/\d+(?=\/)/;

export const isDiscordUrl = (address: string): boolean =>
  URL.canParse(address) && discordPath.test(new URL(address).pathname);

const discordHost = /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/;

/** Why an address does not go with its format; null where it does. */
export function formatRefusal(address: string, format: string): string | null {
  const { hostname, pathname } = new URL(address);
  if (format !== 'discord')
    return isDiscordUrl(address) && discordHost.test(hostname)
      ? 'format must be discord for the address of a Discord webhook'
      : null;
  if (!isDiscordUrl(address))
    return 'url must be the address of a Discord webhook: https://discord.com/api/webhooks/...';
  const afterId = pathname.replace(discordPath, '');
  return /^\/[^/]+\/?$/.test(afterId)
    ? null
    : 'url must end with the token of the Discord webhook, without what follows it, such as /slack or /github';
}

/** They take messages of their own form only. */
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
