/** What encrypts the secrets and challenges of second factors; where it is missing, they are off. */
import type { Context } from '../context.ts';
import { secondFactorsOff } from '../errors.ts';

/** @throws bad_request where there is no key for it */
export function secretsOf({ models: { webhookSecrets } }: Pick<Context, 'models'>) {
  if (!webhookSecrets.isUnlocked) throw secondFactorsOff();
  return webhookSecrets.opened;
}
