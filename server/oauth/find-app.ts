/** Turns an app's access token into a caller, as `server/http/authenticate.ts` does with a key. */
import type { RequestState } from '../../bridge/http/request-state.ts';
import type { Models } from '../../models/index.ts';
import { accessTokenMarker } from '../../models/oauth/format.ts';
import { isAdminScope, type Scope } from '../../routers/scopes.ts';

/** Notes the caller, or why there is none. */
export type FindApp = (token: string, state: RequestState, now: Date) => Promise<void>;

export function createFindApp(models: Models, isOffered: (scope: string) => scope is Scope): FindApp {
  return async function findApp(token, state, now) {
    if (!token.startsWith(accessTokenMarker)) {
      state.keyRefusal = 'unrecognized';
      return;
    }
    const { token: found, grant, refusal } = await models.oauthTokens.verify(token, now);
    if (grant) state.knownGrant = { id: grant._id, userId: grant.userId, clientId: grant.app.clientId };
    if (refusal) {
      state.keyRefusal = refusal;
      return;
    }
    await models.oauthGrants.touch(grant, now);
    state.caller = {
      userId: grant.userId,
      keyId: grant._id,
      scopes: found.scopes.filter(isOffered).filter((scope) => !isAdminScope(scope)),
      callsPerMinute: null,
      app: { name: grant.app.name, endsAt: grant.endsAt },
    };
  };
}
