/** Fills in what exists: the first of the key owner's own things, in the path of an operation that is opened. */
import type { SwaggerUi } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import type { Description } from './operations.ts';

interface OwnParameter {
  pathMethod: [path: string, method: string];
  name: string;
  /** Lists what the parameter names one of. */
  collection: string;
}

export function createOwnValues({ paths }: Description, server: string) {
  const parameters = readParameters(paths);
  const opened = new Set<string>();
  let headers: Record<string, string> | null = null;
  let lists = new Map<string, Promise<unknown>>();

  async function fill(ui: SwaggerUi, operationId: string): Promise<void> {
    const own = parameters.get(operationId);
    if (!own || !headers) return;
    const { collection, name, pathMethod } = own;
    const list = lists.get(collection) ?? readFirst(server + collection, headers);
    lists.set(collection, list);
    const value = fieldOf(await list, name);
    const parameter = ui.specSelectors
      .specJsonWithResolvedSubtrees()
      .getIn(['paths', ...pathMethod, 'parameters'])
      ?.find((each) => each.get('name') === name);
    if (value !== undefined && parameter)
      ui.specActions.changeParamByIdentity(pathMethod, parameter, String(value), false);
  }

  return {
    onOpen(ui: SwaggerUi, operationId: string) {
      opened.add(operationId);
      void fill(ui, operationId);
    },
    /** @param sent with each call; null: no key is in use */
    onKey(ui: SwaggerUi, sent: Record<string, string> | null) {
      headers = sent;
      lists = new Map();
      for (const operationId of opened) void fill(ui, operationId);
    },
  };
}

/** By operation id. What is deleted is named by its caller. */
function readParameters(paths: Description['paths']): Map<string, OwnParameter> {
  const found = new Map<string, OwnParameter>();
  for (const [path, methods] of Object.entries(paths)) {
    const [, collection, name] = /^([^{]+)\/\{(\w+)\}/.exec(path) ?? [];
    if (!collection || !name || !paths[collection]?.['get']) continue;
    for (const [method, { operationId }] of Object.entries(methods))
      if (operationId && method !== 'delete')
        found.set(operationId, { pathMethod: [path, method], name, collection });
  }
  return found;
}

/** The first of a list; undefined when the key may not read it. */
async function readFirst(url: string, headers: Record<string, string>): Promise<unknown> {
  try {
    const response = await fetch(url, { headers });
    const [list] = Object.values(await response.json()).filter(Array.isArray);
    return list?.[0];
  } catch {
    return undefined;
  }
}

/** Its field `server_identifier`, or `identifier`. */
function fieldOf(item: unknown, name: string): unknown {
  const fields = new Map(Object.entries(item ?? {}));
  return fields.get(name) ?? fields.get(name.replace(/^.*_/, ''));
}
