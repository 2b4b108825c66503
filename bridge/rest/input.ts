/** Text of the path and query becomes numbers and booleans where the schema has them. A JSON body is never coerced. */
import { z } from 'zod';
import { badRequest } from '../../routers/errors.ts';
import { printableField } from '../../routers/support/format-zod-error.ts';
import { createCoercion } from '../coerce.ts';
import { bodyBytesMaxOf, hasBody, isJsonObject, readJson } from '../json.ts';
import type { Operation } from '../operations.ts';
import type { AdmittedRequest, RequestContext } from '../protocol.ts';

type Input = Record<string, unknown>;

type RestInput = (request: AdmittedRequest, params: Record<string, string>) => Input | Promise<Input>;

/** Also refuses, with 400, mistakes that the schema cannot see, such as a field that is already in the path. */
export function restInputOf(operation: Operation): RestInput {
  const coerce = createCoercion(operation.input);
  /** Changes the object that was just read, because a copy costs more than the read. */
  function withPath(input: Input, params: Record<string, string>): Input {
    refuseOverlap(operation.pathParameters, Object.keys(input));
    for (const field of operation.pathParameters) input[field] = coerce(field, params[field] ?? '');
    return input;
  }
  const isBodyOptional = canOmitBody(operation);
  if (operation.method === 'GET')
    return function queryInput({ ctx }, params) {
      const query = singleValues(ctx).map(([field, value]) => [field, coerce(field, value)]);
      return withPath(query.length > 0 ? Object.fromEntries(query) : {}, params);
    };
  return async function bodyInput(request, params) {
    refuseQuery(operation, singleValues(request.ctx));
    if (isBodyOptional && !hasBody(request.ctx.req)) return withPath({}, params);
    const body = await readJson(request, { bytesMax: bodyBytesMaxOf(request.caller, operation) });
    if (!isJsonObject(body)) throw badRequest('The body must be a JSON object');
    return withPath(body, params);
  };
}

/** A DELETE may send only an empty object. */
export const takesBody = ({ method }: Operation): boolean => method !== 'GET' && method !== 'DELETE';

/** Whether a body needs no field. No body and `{}` are then the same request. */
export const canOmitBody = ({ input, pathParameters }: Operation): boolean =>
  Object.entries(input.shape).every(
    ([field, schema]) => pathParameters.includes(field) || z.safeParse(schema, undefined).success,
  );

type QueryField = [field: string, value: string];

function refuseQuery(operation: Operation, [first]: readonly QueryField[]): void {
  if (!first) return;
  const rule = hasBodyFields(operation) ? 'must be sent in the JSON body' : 'is not a known field';
  throw badRequest(`${printableField(first[0])} ${rule}`);
}

function singleValues(ctx: RequestContext): QueryField[] {
  if (ctx.querystring === '') return [];
  return Object.entries(ctx.query).map(([field, value]) => {
    if (typeof value !== 'string') throw badRequest(`${printableField(field)} must be given once`);
    return [field, value];
  });
}

function refuseOverlap(pathParameters: readonly string[], fields: readonly string[]): void {
  const twice = fields.find((field) => pathParameters.includes(field));
  if (twice) throw badRequest(`${twice} is part of the path and must not be sent again`);
}

const hasBodyFields = (operation: Operation) =>
  takesBody(operation) &&
  Object.keys(operation.input.shape).some((field) => !operation.pathParameters.includes(field));
