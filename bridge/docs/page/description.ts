/** Loads the OpenAPI document for Swagger UI: calls go to the page's own origin, and optional parameters start empty. */
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
  if (!response.ok) throw new Error(`${address} responded with ${response.status}`);
  const description: Description = await response.json();
  return {
    ...description,
    paths: mapValues(description.paths, withoutOptionalExamples),
    servers: [server(address)],
  };
}

/** The configured public address may be another origin, which the page's security policy does not let it call. */
const server = (address: string) => ({
  url: new URL('.', new URL(address, location.href)).pathname.replace(/\/$/, ''),
});

/** Swagger UI fills in examples, which would then be sent with the call. */
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
