/** The router's type for other repositories: what tsc declares, with the API's own texts as JSDoc on every procedure. */
import ts from 'typescript';
import { createOpenApiDocument } from '../../bridge/openapi/document.ts';
import { readOperations } from '../../bridge/operations.ts';
import { restPrefix } from '../../bridge/rest/rest.ts';
import { appRouter } from '../../routers/index.ts';

/**
 * @param declarations of routers/index.ts, as tsc emits them
 * @throws {Error} when they and the router disagree on the procedures
 */
export function documentTypes(declarations: string, version: string): string {
  const comments = createComments();
  const source = ts.createSourceFile('index.d.ts', declarations, ts.ScriptTarget.Latest, true);
  const members = membersOf(routerTypeOf(source));
  const missing = [...comments.keys()].filter((name) => !members.has(name));
  if (missing.length > 0) throw new Error(`The declarations lack ${missing.join(', ')}`);
  let documented = declarations;
  for (const [name, member] of [...members].reverse()) {
    const start = member.getStart();
    const lines = comments.get(name);
    if (!lines) throw new Error(`${name} is declared, but is no operation`);
    documented = `${documented.slice(0, start)}${writeComment(lines, indentOf(member))}${documented.slice(start)}`;
  }
  return `${writeComment(heading(version), '')}${hideValue(documented)}`;
}

const heading = (version: string) => [
  `The type of gamehost's tRPC API, version ${version}. Import \`AppRouter\` and give it to @trpc/client.`,
  'Requires @trpc/server 11, and contains no code.',
];

/** There is no value `appRouter` to import. */
const hideValue = (declarations: string) =>
  `${declarations.replace('export declare const', 'declare const')}export {};\n`;

/** The lines of each procedure's comment, by its name. */
function createComments(): Map<string, string[]> {
  const operations = readOperations(appRouter);
  const { paths } = createOpenApiDocument(operations, '');
  return new Map(
    operations.map(({ name, method, path }) => {
      const { summary = '', description = '' } = paths[path]?.[method.toLowerCase()] ?? {};
      const rest = `REST: \`${method} ${restPrefix}${path}\``;
      return [name, [`${summary}.`, '', ...description.split('\n'), '', rest]];
    }),
  );
}

function writeComment(lines: readonly string[], indent: string): string {
  const body = lines.map((line) => ` * ${line.replaceAll('*/', '*\\/')}`.trimEnd());
  return ['/**', ...body, ' */', ''].join(`\n${indent}`);
}

function indentOf(node: ts.Node): string {
  const { text } = node.getSourceFile();
  return text.slice(text.lastIndexOf('\n', node.getStart()) + 1, node.getStart());
}

function routerTypeOf(source: ts.SourceFile): ts.TypeNode | undefined {
  const declared = source.statements.filter(ts.isVariableStatement);
  return declared.flatMap(({ declarationList }) => declarationList.declarations)[0]?.type;
}

/** The procedures of a router's type, by name, in the order of their declarations. */
function membersOf(type: ts.TypeNode | undefined, prefix = ''): Map<string, ts.TypeElement> {
  const [, record] = argumentsOf(type);
  const [literal] = argumentsOf(record);
  if (!literal || !ts.isTypeLiteralNode(literal))
    throw new Error('The declarations are not those of a router');
  const found = new Map<string, ts.TypeElement>();
  for (const member of literal.members.filter(ts.isPropertySignature)) {
    const name = prefix + member.name.getText();
    if (!isRouter(member.type)) found.set(name, member);
    else for (const [inner, node] of membersOf(member.type, `${name}.`)) found.set(inner, node);
  }
  return found;
}

const argumentsOf = (type: ts.TypeNode | undefined): readonly ts.TypeNode[] =>
  type && ts.isImportTypeNode(type) ? (type.typeArguments ?? []) : [];

const isRouter = (type: ts.TypeNode | undefined) =>
  type !== undefined && ts.isImportTypeNode(type) && type.qualifier?.getText() === 'TRPCBuiltRouter';
