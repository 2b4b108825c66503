/** Whether a host is this machine itself, where no one can intercept plain http. */

/** @param host as in a Host header or a URL, with or without a port */
export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);

export const isLoopback = ({ hostname }: URL): boolean => isLoopbackHost(hostname);
