/** The host's name and logo, read from the served page. */
const readMeta = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const hostName = (): string => readMeta('application-name');

/** The service's name in the settings of programs. */
export const serviceName = (): string => readMeta('key-prefix');

export const Logo = () => (
  <span class="logo">
    <img src="/account/logo" alt="" width="28" height="28" />
    {hostName()}
  </span>
);

/** The product has no site of its own: each service has its documentation. */
export const PoweredBy = () => (
  <footer class="powered-by">
    <a href="/api/v1/docs">Powered by gamehost</a>
  </footer>
);
