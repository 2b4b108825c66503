/** Converts the OpenAPI document to version 3.0, for tools that read only that version. */
import { Converter } from '@apiture/openapi-down-convert';
import type { OpenApiDocument } from './document.ts';

export function toOpenApi30(document: OpenApiDocument): OpenApiDocument {
  // OpenAPI 3.0 has no webhooks, and the library drops them. Tools for 3.0 read them under `x-webhooks`.
  const { webhooks, ...rest } = structuredClone(document);
  const named = { ...rest, ...(webhooks && { 'x-webhooks': webhooks }) };
  const converter = new Converter(markNullable(named) as OpenApiDocument, { allOfTransform: true });
  return converter.convert() as unknown as OpenApiDocument; // the library declares any JSON object
}

/** Marks objects and enums that may be null as nullable: 3.0 has no null type, and the library does not convert these. */
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
