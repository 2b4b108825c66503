/** The host's name and logo, read from the served page. */
const readMeta = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

export const hostName = (): string => readMeta('application-name');

/** The name of the service in the configuration of MCP clients. */
export const serviceName = (): string => readMeta('key-prefix');

export const Logo = () => (
  <span class="logo">
    <img src="/account/logo" alt="" width="28" height="28" />
    {hostName()}
  </span>
);

/** gamehost has no website, so this leads to the documentation of the service. */
export const PoweredBy = () => (
  <footer class="powered-by">
    <a href="/api/v1/docs">Powered by gamehost</a>
  </footer>
);
