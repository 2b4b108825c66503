/**
 * Recognizes webhook addresses of Discord, and of other chats, which would refuse our events. The account page uses it too.
 */

/** The path of a Discord webhook, or of a compatible service. The part after the id is the secret. */
export const discordPath = /^\/api(?:\/v\d+)?\/webhooks\/\d+(?=\/)/;

export const isDiscordUrl = (address: string): boolean =>
  URL.canParse(address) && discordPath.test(new URL(address).pathname);

const discordHost = /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/;

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
    : 'url must end with the token of the Discord webhook: remove anything after it, such as /slack or /github';
}

/** These chats accept only their own message format. */
const chats: readonly { name: string; host: RegExp }[] = [
  { name: 'Slack', host: /(?:^|\.)hooks\.slack(?:-gov)?\.com$/ },
  { name: 'Google Chat', host: /^chat\.googleapis\.com$/ },
  { name: 'Microsoft Teams', host: /(?:\.webhook\.office\.com|^outlook\.office(?:365)?\.com)$/ },
  { name: 'Telegram', host: /^api\.telegram\.org$/ },
];

export function chatRefusal(address: string): string | null {
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '') : '';
  const chat = chats.find((each) => each.host.test(host));
  return chat
    ? `must not be a ${chat.name} address: ${chat.name} does not accept these events; use the address of a program or an automation service that forwards them to ${chat.name}, or a Discord webhook, which works directly`
    : null;
}
