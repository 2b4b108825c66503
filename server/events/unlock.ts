/** Opens the vault with the key of the settings, or with the embedded database's own key. */
import { resolve } from 'node:path';
import type { Models } from '../../models/index.ts';
import { SecretsKeyError } from '../../models/vault.ts';
import type { Config } from '../config.ts';
import { ensureSecretsKey } from '../embedded-database/data-dir.ts';
import { StartError } from '../progress.ts';

type Settings = Pick<Config, 'webhooks' | 'mongodbUri' | 'dataDir'>;

/**
 * Without a key, webhooks are off. The start then fails if the database contains any, because their events would be
 * lost.
 * @throws {StartError} naming the setting that is missing or wrong
 */
export async function unlockVault(
  { notices, webhooks, vault }: Pick<Models, 'notices' | 'webhooks' | 'vault'>,
  config: Settings,
): Promise<void> {
  const [key, ...others] = await keysOf(config);
  if (!key) {
    if (await webhooks.has()) throw new StartError('SECRETS_KEY is required: the database contains webhooks');
    await notices.isOn(); // also makes this process store events if mail is on
    return;
  }
  try {
    await vault.unlock([key, ...others]);
  } catch (failure) {
    if (!(failure instanceof SecretsKeyError)) throw failure;
    throw new StartError(config.webhooks.secretsKeys.length > 0 ? wrongKeyMessage : wrongKeyFileMessage, {
      cause: failure,
    });
  }
}

const wrongKeyMessage =
  'SECRETS_KEY does not fit what is stored: set SECRETS_KEY_PREVIOUS to the key of the last start';
const wrongKeyFileMessage =
  'secrets.key in DATA_DIR does not fit what is stored: restore the secrets.key of this data, or set SECRETS_KEY to its text';

/** The embedded database's own key is last: a key in the settings has priority. */
async function keysOf({ webhooks, mongodbUri, dataDir }: Settings): Promise<Buffer[]> {
  const embedded = mongodbUri === undefined ? [await ensureSecretsKey(resolve(dataDir))] : [];
  return [...webhooks.secretsKeys, ...embedded];
}
