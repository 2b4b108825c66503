/** The OpenAPI document in version 3.0, for tools that read no other. */
import { Converter } from '@apiture/openapi-down-convert';
import type { OpenApiDocument } from './document.ts';

/** Schemas become those of 3.0; all else has the same structure, hence the type. */
export function toOpenApi30(document: OpenApiDocument): OpenApiDocument {
  // 3.0 has no webhooks: readers of that version know them under this name, and the library drops them.
  const { webhooks, ...rest } = structuredClone(document);
  const named = { ...rest, ...(webhooks && { 'x-webhooks': webhooks }) };
  const converter = new Converter(markNullable(named) as OpenApiDocument, { allOfTransform: true });
  return converter.convert() as unknown as OpenApiDocument; // the library's type is any JSON object
}

/** What may be null in place of an object or a known value is marked so: 3.0 has no type of null, and the library leaves one. */
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
