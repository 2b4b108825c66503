/** The address of a webhook of Discord, which the account page recognizes, too. */

/** Its path, or that of a service that takes the same; what follows the id is its secret. */
export const discordPath = /^\/api(?:\/v\d+)?\/webhooks\/\d+(?=\/)/;

export const isDiscordUrl = (address: string): boolean =>
  URL.canParse(address) && discordPath.test(new URL(address).pathname);
