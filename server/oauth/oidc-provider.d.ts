/**
 * The library is imported by its inner files. Its entry file prints a warning on every release of Node that is not a known
 * LTS, and has no option to turn the warning off.
 */
declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider';
  export import InvalidGrant = errors.InvalidGrant;
  export import InvalidTarget = errors.InvalidTarget;
  export import OIDCProviderError = errors.OIDCProviderError;
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { AdapterFactory } from 'oidc-provider';
  export function createMemoryAdapter(): AdapterFactory;
}
