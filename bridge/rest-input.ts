/**
 * One input from the three places REST carries it: path, query and JSON body.
 * Path and query values are strings and become numbers where the shape has numbers; a JSON body is never coerced.
 */
import { z } from 'zod';
import { printableField } from '../routers/bad-input.ts';
import { badRequest } from '../routers/errors.ts';
import type { Row } from './catalogue.ts';
import { isJsonObject, readJson } from './json-body.ts';
import type { RequestContext } from './request-state.ts';

type Input = Record<string, unknown>;

/** @param params what the path says, by the names of its parameters */
export type RestInput = (ctx: RequestContext, params: Record<string, string>) => Input | Promise<Input>;

/** How to read a row's input from a request; refuses with 400 what the shape could not see. */
export function restInputOf(row: Row): RestInput {
  const numeric = new Set(Object.keys(row.input.shape).filter((field) => isNumeric(row.input.shape[field])));
  const coerce = (field: string, value: string) =>
    numeric.has(field) && decimal.test(value) ? Number(value) : value;
  /** Into the object that was just read: a copy would cost more than the reading. */
  function withPath(input: Input, params: Record<string, string>): Input {
    refuseOverlap(row.pathParameters, Object.keys(input));
    for (const field of row.pathParameters) input[field] = coerce(field, params[field] ?? '');
    return input;
  }
  if (row.method === 'GET')
    return function queryInput(ctx, params) {
      const query = singleValues(ctx).map(([field, value]) => [field, coerce(field, value)]);
      return withPath(query.length > 0 ? Object.fromEntries(query) : {}, params);
    };
  return async function bodyInput(ctx, params) {
    refuseQuery(singleValues(ctx));
    const body = await ctx.state.waitForClient(readJson(ctx.req));
    if (!isJsonObject(body)) throw badRequest('The body must be a JSON object');
    return withPath(body, params);
  };
}

type Pair = [field: string, value: string];

const decimal = /^-?(0|[1-9]\d*)$/;

function refuseQuery([first]: readonly Pair[]): void {
  if (first) throw badRequest(`${printableField(first[0])} must be sent in the JSON body`);
}

function singleValues(ctx: RequestContext): Pair[] {
  if (ctx.querystring === '') return [];
  return Object.entries(ctx.query).map(([field, value]) => {
    if (typeof value !== 'string') throw badRequest(`${printableField(field)} must be given once`);
    return [field, value];
  });
}

/** What the path says cannot be said again elsewhere. */
function refuseOverlap(pathParameters: readonly string[], fields: readonly string[]): void {
  const twice = fields.find((field) => pathParameters.includes(field));
  if (twice) throw badRequest(`${twice} is part of the path and must not be sent again`);
}

const isNumeric = (schema: unknown): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? isNumeric(schema.unwrap())
    : schema instanceof z.ZodNumber;
