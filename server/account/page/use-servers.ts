/** The user's servers, for a form in which one is chosen. */
import { useQuery } from './use-query.ts';

export function useServers() {
  const { content, failure } = useQuery((api) => api.servers.list.query());
  return { servers: content?.servers ?? null, failure };
}
