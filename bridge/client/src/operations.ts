/** Reads the operations of an OpenAPI document: at build for the library, and at run time for the command. */

/** One operation, as far as a client must know it to call it. */
export interface Operation {
  /** The operationId. */
  name: string;
  /** Its tag. */
  group: string;
  method: string;
  /** Below the address of the API, with `{name}` for each parameter. */
  path: string;
  query: string[];
  /** Fields of the input that are headers, by the header's name in lower case with underscores. */
  headers: string[];
  /** The description gives it an Idempotency-Key, so that a repetition does nothing twice. */
  isIdempotent: boolean;
  pagination: Pagination | null;
}

/**
 * How a list is read page by page: `x-pagination`, with the length of a page. The service declares its own type of it, because
 * this package is also used without it; the build passes the service's document here, so that they cannot differ.
 */
export interface Pagination {
  list: string;
  parameter: string;
  field: string | null;
  size: string | null;
  more: string | null;
  /** The default of the parameter that `size` names. */
  length: number | null;
}

export interface Description {
  servers?: { url: string }[] | undefined;
  tags: { name: string; description?: string }[] | undefined;
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema> };
}

export interface DescribedOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  'x-command'?: string | undefined;
  'x-required-scope'?: string | undefined;
  'x-destructive'?: boolean | undefined;
  'x-pagination'?: Omit<Pagination, 'length'> | undefined;
  parameters?: Parameter[] | undefined;
  requestBody?: { required: boolean; content: { 'application/json': { schema: Schema } } } | undefined;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean | undefined;
  description?: string | undefined;
  schema: Schema;
}

export interface Schema {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  description?: string | undefined;
  default?: unknown;
  maximum?: number | undefined;
  readOnly?: boolean | undefined;
  enum?: unknown[] | undefined;
  'x-extensible-enum'?: readonly string[] | undefined;
  anyOf?: Schema[] | undefined;
  items?: Schema | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: Schema | boolean | undefined;
}

export const idempotencyKeyField = 'idempotency_key';

/** In the input of an operation. */
export const fieldNameOf = ({ name, in: place }: Parameter): string =>
  place === 'header' ? name.toLowerCase().replaceAll('-', '_') : name;

export const readOperations = ({ paths }: Description): (Operation & { described: DescribedOperation })[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, described]) => described?.operationId && described.tags?.[0])
      .map(([method, described]) => ({
        ...readOperation(described),
        method: method.toUpperCase(),
        path,
        described,
      })),
  );

function readOperation(described: DescribedOperation) {
  const { operationId, tags, parameters = [], 'x-pagination': pagination } = described;
  const namesIn = (place: string) => parameters.filter((one) => one.in === place).map(fieldNameOf);
  const length = parameters.find(({ name }) => name === pagination?.size)?.schema.default;
  return {
    name: operationId,
    group: tags[0] ?? '',
    query: namesIn('query'),
    headers: namesIn('header').filter((name) => name !== idempotencyKeyField),
    isIdempotent: namesIn('header').includes(idempotencyKeyField),
    pagination: pagination ? { ...pagination, length: typeof length === 'number' ? length : null } : null,
  };
}
