/** Converts the OpenAPI document to version 3.0, for tools that read only that version. */
import { Converter } from '@apiture/openapi-down-convert';
import type { OpenApiDocument } from './document.ts';

export function toOpenApi30(document: OpenApiDocument): OpenApiDocument {
  // 3.0 has no webhooks, and the library drops them. Readers of 3.0 know them under this name.
  const { webhooks, ...rest } = structuredClone(document);
  const named = { ...rest, ...(webhooks && { 'x-webhooks': webhooks }) };
  const converter = new Converter(markNullable(named) as OpenApiDocument, { allOfTransform: true });
  return converter.convert() as unknown as OpenApiDocument; // the library returns any JSON object
}

/** Marks objects and known values that may be null as nullable: 3.0 has no null type, and the library leaves one. */
function markNullable(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(markNullable);
  if (typeof part !== 'object' || part === null) return part;
  const { anyOf, ...rest } = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, markNullable(value)]),
  );
  if (!Array.isArray(anyOf)) return anyOf === undefined ? rest : { ...rest, anyOf };
  const [schema, nothing] = anyOf;
  if (anyOf.length !== 2 || nothing.type !== 'null') return { ...rest, anyOf };
  const whole = '$ref' in schema ? { type: 'object', allOf: [schema] } : schema;
  return { ...rest, ...whole, nullable: true };
}
