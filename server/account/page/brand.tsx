/** The host's name and logo, as the served page has them. */
const readMeta = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const hostName = (): string => readMeta('application-name');

/** What programs' settings call the service. */
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
