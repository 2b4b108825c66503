/** Turns an app's access token into a caller, as `server/http/authenticate.ts` does with a key. */
import { anyone, type Credentials } from '../../bridge/protocol.ts';
import type { Models } from '../../models/index.ts';
import { accessTokenMarker } from '../../models/oauth/tokens.ts';
import { isAdminScope, type Scope } from '../../routers/scopes.ts';

type FindApp = (token: string, now: Date) => Promise<Credentials>;

export function createFindApp(models: Models, isOffered: (scope: string) => scope is Scope): FindApp {
  return async function findApp(token, now) {
    if (!token.startsWith(accessTokenMarker)) return { ...anyone, keyRefusal: 'unrecognized' };
    const { token: found, grant, refusal } = await models.oauthTokens.verify(token, now);
    const knownGrant = grant && { id: grant._id, userId: grant.userId, clientId: grant.app.clientId };
    if (refusal) return { ...anyone, keyRefusal: refusal, knownGrant };
    models.oauthGrants.touch(grant, now);
    const caller = {
      userId: grant.userId,
      keyId: grant._id,
      scopes: found.scopes.filter(isOffered).filter((scope) => !isAdminScope(scope)),
      callsPerMinute: null,
      servers: null,
      app: { name: grant.app.name, endsAt: grant.endsAt },
    };
    return { ...anyone, caller, knownGrant };
  };
}
