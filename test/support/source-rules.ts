/** Searches of the code for the rules of structure and style. */
import ts from 'typescript';
import { placeOf, type SourceFile } from './source-tree.ts';

type Question = (node: ts.Node, file: SourceFile) => boolean;

/** The places of all nodes for which the question is true. */
export const findAll = (files: readonly SourceFile[], question: Question) =>
  files.flatMap((file) =>
    file.nodes.filter((node) => question(node, file)).map((node) => placeOf(file, node)),
  );

/** The first import cycle as a path, or null. */
export function findCycle(files: readonly SourceFile[]): string | null {
  const importsOf = new Map(files.map((file) => [file.path, file.files]));
  const done = new Set<string>();
  const visit = (path: string, trail: string[]): string | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path].join(' -> ');
    if (done.has(path)) return null;
    for (const next of importsOf.get(path) ?? []) {
      const cycle = visit(next, [...trail, path]);
      if (cycle) return cycle;
    }
    done.add(path);
    return null;
  };
  for (const { path } of files) {
    const cycle = visit(path, []);
    if (cycle) return cycle;
  }
  return null;
}

const isExported = (node: ts.Node): node is ts.DeclarationStatement | ts.VariableStatement =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

const exportedNames = ({ syntax }: SourceFile): string[] =>
  syntax.statements.filter(isExported).flatMap((statement) => {
    const declarations = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : [statement];
    return declarations.flatMap(({ name }) => (name && ts.isIdentifier(name) ? name.text : []));
  });

/** Exports that only their own file names and that mocha does not call. */
export function findUnusedExports(files: readonly SourceFile[]): string[] {
  const wordsOf = new Map(files.map((file) => [file, new Set(file.text.split(/\W+/))]));
  return files.flatMap((file) =>
    exportedNames(file)
      .filter((name) => !/^mocha[A-Z]/.test(name))
      .filter((name) => !files.some((other) => other !== file && wordsOf.get(other)?.has(name)))
      .map((name) => `${file.path}: ${name}`),
  );
}

const lineAt = (position: number, { syntax }: SourceFile) =>
  syntax.getLineAndCharacterOfPosition(position).line;

const linesOf = (node: ts.Node, file: SourceFile) =>
  lineAt(node.getEnd(), file) - lineAt(node.getStart(), file) + 1;

/** A function with code; one that only returns a text is prose. */
const isCode = (node: ts.Node) =>
  ts.isFunctionLike(node) && !(ts.isArrowFunction(node) && ts.isTemplateExpression(node.body));

export const isLongFunction =
  (linesMax: number): Question =>
  (node, file) =>
    isCode(node) && linesOf(node, file) > linesMax;

export const hasManyParameters =
  (parametersMax: number): Question =>
  (node) =>
    ts.isFunctionLike(node) && node.parameters.length > parametersMax;

/** A comment with a sentence, before any code. */
export const openingComment = /^(#!.*\n)?\/\*\*(?:(?!\*\/)[\s\S])*\./;

export const isEnvironment = (node: ts.Node) =>
  (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) &&
  /^process(\.env|\['env'\])$/.test(node.getText());

export const isInternal = (node: ts.Node) =>
  (ts.isIdentifier(node) || ts.isStringLiteral(node)) && node.text === '_def';

export const isDefaultExport = (node: ts.Node) =>
  ts.isExportAssignment(node) ||
  (node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent));

/** `any`, unless a comment above gives the linter its reason. */
export const isBareAny: Question = (node, file) =>
  node.kind === ts.SyntaxKind.AnyKeyword &&
  !/biome-ignore lint\/suspicious\/noExplicitAny: \w/.test(
    file.text.split('\n')[lineAt(node.getStart(), file) - 1] ?? '',
  );

export const isAssertedToExist = (node: ts.Node) =>
  ts.isNonNullExpression(node) ||
  ((ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) && node.exclamationToken !== undefined);

export const isSelective = (node: ts.Node) =>
  (ts.isPropertyAccessExpression(node) || ts.isIdentifier(node)) &&
  /^((describe|context|it|specify)\.(only|skip)|this\.skip|x(it|describe|context|specify))$/.test(
    node.getText(),
  );
