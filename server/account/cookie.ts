/** A cookie of the account page: HttpOnly, SameSite, and with TLS Secure and bound to the host by its prefix. */
import type { RequestContext } from '../../bridge/http/request-state.ts';

export interface CookieOptions {
  name: string;
  /** Whether PUBLIC_URL is https; a trusted proxy may also report it per request. */
  isHttps: boolean;
}

export function createCookie({ cookies, secure }: RequestContext, { name, isHttps }: CookieOptions) {
  const isSecure = isHttps || secure;
  // RFC 6265bis: browsers accept this prefix only from the host itself, with Secure and Path=/.
  const cookieName = isSecure ? `__Host-${name}` : name;
  const attributes = {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    path: '/',
    overwrite: true,
  } as const;
  cookies.secure = isSecure;
  return {
    value: cookies.get(cookieName) ?? '',
    set: (value: string, expires: Date) => {
      cookies.set(cookieName, value, { ...attributes, expires });
    },
    clear: () => {
      cookies.set(cookieName, null, attributes);
    },
  };
}
