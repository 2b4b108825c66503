/** The OpenAPI document as the page tries it: at the address in the address bar, with nothing optional filled in. */
interface Parameter {
  required?: boolean;
  example?: unknown;
}

interface Description {
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
  [part: string]: unknown;
}

export async function loadDescription(address: string): Promise<object> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  const description: Description = await response.json();
  return {
    ...description,
    paths: mapValues(description.paths, withoutOptionalExamples),
    servers: [server(address)],
  };
}

/** Calls to a configured other address would be calls to another origin, which this page may not make. */
const server = (address: string) => ({
  url: new URL('.', new URL(address, location.href)).pathname.replace(/\/$/, ''),
});

/** Swagger UI fills examples in; a reader who does not look would send them along. */
const withoutOptionalExamples = (methods: Description['paths'][string]) =>
  mapValues(methods, (operation) => ({
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map(withoutOptionalExample) }),
  }));

function withoutOptionalExample({ example, ...parameter }: Parameter): Parameter {
  return parameter.required ? { ...parameter, example } : parameter;
}

const mapValues = <Value, Result>(values: Record<string, Value>, change: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
