/** Our OpenAPI document beside the one that trpc-to-openapi generates from the same metadata. */
import { expect } from 'chai';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { createOpenApiDocument } from '../../bridge/openapi/document.ts';
import { readOperations } from '../../bridge/operations.ts';
import { appRouter } from '../../routers/index.ts';

interface Parameter {
  in: string;
  name: string;
  required?: boolean;
}

interface Paths {
  [path: string]: { [method: string]: { parameters?: Parameter[] } };
}

/** Headers aside, which the metadata does not have. */
const outline = (paths: Paths) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [] }]) => ({
      endpoint: `${method} ${path}`,
      parameters: parameters
        .filter((parameter) => parameter.in !== 'header')
        .map(({ in: place, name, required = false }) => `${place} ${name}${required ? '' : '?'}`),
    })),
  );

describe('the OpenAPI document and that of trpc-to-openapi', () => {
  it('have the same paths, methods and parameters', () => {
    const ours = createOpenApiDocument(readOperations(appRouter), '');
    const info = { title: 'gamehost API', version: '1.0.0', baseUrl: '' };
    // It declares its own metadata type for the router; ours only has more in it.
    const theirs = generateOpenApiDocument(appRouter as never, info);
    // The generator's types also allow references, which it never writes.
    expect(outline(ours.paths)).to.deep.equal(outline(theirs.paths as Paths));
  });
});
