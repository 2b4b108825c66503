/** Names the device of a session for its user, such as "Firefox on Windows", from the User-Agent header. */
import bowser from 'bowser';

/** Real ones are shorter; a longer one would only take time to parse. */
const headerLengthMax = 400;
const nameLengthMax = 60;

export function deviceOf(userAgent: string): string | null {
  if (userAgent === '' || userAgent.length > headerLengthMax) return null;
  const { browser, os } = bowser.parse(userAgent);
  const names = [browser.name, os.name].filter((name) => name !== undefined && name !== '');
  return names.length === 0 ? null : names.join(' on ').slice(0, nameLengthMax);
}
