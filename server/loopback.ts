/** Which hosts are this machine alone, where nobody can intercept plain http. */

/** @param host as a header Host or a URL writes it, with or without a port */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);

export const isLoopback = ({ hostname }: URL): boolean => isLoopbackHost(hostname);
