/** The stores of the authorization server, which belong together. */
import type { Connection } from 'mongoose';
import type { ApiKeyQuota } from '../api-key/quota.ts';
import { OAuthClients } from './clients.ts';
import { OAuthGrants } from './grants.ts';
import { OAuthRequests } from './requests.ts';
import { OAuthTokens } from './tokens.ts';

export function createOAuthStores(connection: Connection, quota: ApiKeyQuota) {
  const oauthGrants = new OAuthGrants(connection, quota);
  return {
    oauthClients: new OAuthClients(connection),
    oauthGrants,
    oauthRequests: new OAuthRequests(connection),
    oauthTokens: new OAuthTokens(connection, oauthGrants),
  };
}
