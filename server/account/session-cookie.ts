/** The cookie that carries a session's token: out of reach of scripts and of other sites, and behind TLS of other hosts. */
import type { RequestContext } from '../../bridge/request-state.ts';

const name = 'gamehost_session';

/** @param isHttps the configuration says so; a proxy in front may say it of a single request */
export function createSessionCookie({ cookies, secure }: RequestContext, { isHttps }: { isHttps: boolean }) {
  const isSecure = isHttps || secure;
  // RFC 6265bis: browsers take this prefix only from the host itself, with Secure and for all paths.
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
    token: cookies.get(cookieName),
    keepToken: (token: string, expires: Date) => {
      cookies.set(cookieName, token, { ...attributes, expires });
    },
    dropToken: () => {
      cookies.set(cookieName, null, attributes);
    },
  };
}
