/** The project's source files, parsed by TypeScript, for the rules of structure and style. */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** From the outermost to the innermost: an import may only go down this list. */
export const layers = ['server', 'bridge', 'routers', 'models'] as const;

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  path: string;
  text: string;
  syntax: ts.SourceFile;
  nodes: ts.Node[];
  /** Project files that it imports, including types and dynamic imports. */
  files: string[];
  /** Packages that it imports, without subpaths; Node's own as "node:fs". */
  packages: string[];
}

export const readSources = (folders: readonly string[]): SourceFile[] =>
  folders.flatMap((folder) =>
    readdirSync(`${projectRoot}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?<!\.d)\.tsx?$/.test(name) && !name.startsWith('client/src/generated/'))
      .map((name) => readSource(`${folder}/${name.replaceAll('\\', '/')}`)),
  );

function readSource(path: string): SourceFile {
  const text = readFileSync(projectRoot + path, 'utf8');
  const syntax = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const nodes = nodesOf(syntax);
  const imported = nodes.flatMap((node) => specifierOf(node) ?? []);
  return {
    path,
    text,
    syntax,
    nodes,
    files: imported.filter(isRelative).map((name) => posix.join(posix.dirname(path), name)),
    packages: imported.filter((name) => !isRelative(name)).map(packageOf),
  };
}

const isRelative = (specifier: string) => specifier.startsWith('.');

const packageOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function nodesOf(root: ts.Node): ts.Node[] {
  const nodes = [root];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(root, visit);
  return nodes;
}

/** The module that a node imports: `import`, `export from`, `import()`, `import('x').Type`. */
function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return textOf(node.arguments[0]);
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal);
  return undefined;
}

const textOf = (node: ts.Node | undefined) => (node && ts.isStringLiteral(node) ? node.text : undefined);

/** Where a node begins, as "routers/trpc.ts:12". */
export const placeOf = ({ path, syntax }: SourceFile, node: ts.Node) =>
  `${path}:${syntax.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
