/**
 * Finds the methods of a path, so that a wrong method (405) is distinct from an unknown path (404).
 * Not @koa/router, because it runs at every call: most paths are found in a map, before any pattern is tried.
 */
import { percentDecode } from '../http/percent-decode.ts';

export interface Route<Target> {
  method: string;
  /** With parameters in braces, e.g. "/tickets/{ticket_id}/reply". */
  path: string;
  target: Target;
}

/** The methods and parameters of a path. */
export interface RouteMatch<Target> {
  /** By method. */
  targets: ReadonlyMap<string, Target>;
  /** Path parameters by name, decoded. */
  params: Record<string, string>;
}

/** Ignores a trailing slash. */
export function createFind<Target>(
  routes: readonly Route<Target>[],
): (path: string) => RouteMatch<Target> | null {
  const places = [...new Set(routes.map(({ path }) => path))].map((path) => ({
    path,
    expression: expressionOf(path),
    parameters: [...path.matchAll(parameter)].map(([, name]) => name ?? ''),
    targets: targetsAt(path, routes),
  }));
  const fixed = new Map(places.filter(isFixed).map(({ path, targets }) => [path, { targets, params: {} }]));
  const patterns = places
    .filter((place) => !isFixed(place))
    .map((place) => ({ ...place, beginning: place.path.replace(/\{.*/, '') }));
  return function find(path) {
    const asked = path.endsWith('/') ? path.slice(0, -1) : path;
    const known = fixed.get(asked);
    if (known) return known;
    for (const { beginning, expression, parameters, targets } of patterns) {
      const values = asked.startsWith(beginning) ? expression.exec(asked) : null;
      if (values) return { targets, params: paramsOf(parameters, values) };
    }
    return null;
  };
}

const isFixed = ({ path }: { path: string }) => !path.includes('{');

const targetsAt = <Target>(path: string, routes: readonly Route<Target>[]) =>
  new Map(routes.filter((route) => route.path === path).map(({ method, target }) => [method, target]));

const parameter = /\{(\w+)\}/g;

const expressionOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(parameter, '([^/]+)')}$`);

/** @param match the whole path, then the value of each parameter */
function paramsOf(parameters: readonly string[], match: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  parameters.forEach((name, index) => {
    params[name] = percentDecode(match[index + 1] ?? '');
  });
  return params;
}
