/** The contract's routes and schemas, from which Fastify compiles its parsers and serialisers. */
import { z } from 'zod';
import { readOperations } from '../../../../bridge/operations.ts';
import { appRouter } from '../../../../routers/index.ts';

const operations = new Map(readOperations(appRouter).map((operation) => [operation.name, operation]));

/** @param takes another input than the operation's own, whose rules a JSON schema can express as a whole */
export function routeOf(name: string, takes?: z.ZodObject) {
  const operation = operations.get(name);
  if (!operation) throw new Error(`There is no operation ${name}`);
  const { method, path, pathParameters, scope, status, output } = operation;
  const fields = Object.entries((takes ?? operation.input).shape);
  const inPath = fields.filter(([field]) => pathParameters.includes(field));
  const others = fields.filter((field) => !inPath.includes(field));
  return {
    method,
    url: path.replace(/\{(\w+)\}/g, ':$1'),
    config: { operation: name, scope: scope ?? '' },
    schema: {
      ...(inPath.length > 0 && { params: inputOf(inPath) }),
      ...(others.length > 0 && { [method === 'GET' ? 'querystring' : 'body']: inputOf(others) }),
      response: { [status]: compiled(output, 'output') },
    },
  };
}

const inputOf = (fields: [string, z.core.$ZodType][]) =>
  compiled(z.strictObject(Object.fromEntries(fields)), 'input');

/** As a Fastify author writes them: `nullable` in place of a choice, and a pattern that refuses white space. */
const compiled = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, {
    ...{ io, target: 'draft-7' },
    override({ jsonSchema }) {
      const [kind, none] = jsonSchema.anyOf ?? [];
      if (none?.type === 'null') {
        delete jsonSchema.anyOf;
        Object.assign(jsonSchema, kind, { nullable: true });
      }
      if (jsonSchema.minLength === 1) jsonSchema.pattern = '\\S';
      for (const keyword of ['knownValues', 'aliasOf']) delete jsonSchema[keyword]; // only for our bridge
    },
  });
