/** The OpenAPI document in version 3.0, for tools that read no other. */
import { Converter } from '@apiture/openapi-down-convert';
import type { OpenApiDocument } from './document.ts';

/** Schemas become those of 3.0; all else has the same structure, hence the type. */
export function toOpenApi30(document: OpenApiDocument): OpenApiDocument {
  // 3.0 has no webhooks: readers of that version know them under this name, and the library drops them.
  const { webhooks, ...rest } = structuredClone(document);
  const named = { ...rest, ...(webhooks && { 'x-webhooks': webhooks }) };
  const converter = new Converter(nullableReferences(named) as OpenApiDocument, { allOfTransform: true });
  return converter.convert() as unknown as OpenApiDocument; // the library's type is any JSON object
}

/** What may be an object or null is marked so next to its reference: 3.0 has no type of null, and the library leaves one. */
function nullableReferences(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(nullableReferences);
  if (typeof part !== 'object' || part === null) return part;
  const { anyOf, ...rest } = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, nullableReferences(value)]),
  );
  if (!Array.isArray(anyOf)) return anyOf === undefined ? rest : { ...rest, anyOf };
  const [reference, nothing] = anyOf;
  const isNullable = anyOf.length === 2 && '$ref' in reference && nothing.type === 'null';
  return isNullable ? { ...rest, type: 'object', allOf: [reference], nullable: true } : { ...rest, anyOf };
}
