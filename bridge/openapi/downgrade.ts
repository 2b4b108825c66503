/** The OpenAPI document in version 3.0, for tools that read no other. */
import { Converter } from '@apiture/openapi-down-convert';
import type { OpenApiDocument } from './document.ts';

/** Schemas become those of 3.0; all else has the same structure, hence the type. */
export function toOpenApi30(document: OpenApiDocument): OpenApiDocument {
  const converter = new Converter(structuredClone(document), { allOfTransform: true });
  return converter.convert() as unknown as OpenApiDocument; // the library's type is any JSON object
}
