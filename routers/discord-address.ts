/** The address of a webhook of Discord, which the account page recognizes, too. */

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
