/** The testable parts of the documents for people: commands, sample answers and tables. */
import { readFile } from 'node:fs/promises';

export interface Command {
  /** On one line, however many it takes in the document. */
  line: string;
  /** The answer that the document shows right after it; `{}` where it shows none. */
  sample: object;
}

export const operationsGuide = ['adopt', 'configure', 'run', 'recover', 'reference'].map(
  (name) => `server/operations/${name}.md`,
);

/** @param path below the project's folder */
export const readDocument = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Every command for a shell, in order. */
export function commandsOf(document: string): Command[] {
  const blocks = document.matchAll(/```sh\n(.*?)```(?:\n\n```json\n(.*?)```)?/gs);
  return [...blocks].flatMap(([, commands = '', sample]) => {
    const lines = commands
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => line.replace(/ #.*/, '').trim())
      .filter(Boolean);
    const last = lines.length - 1;
    return lines.map((line, index) => ({
      line,
      sample: JSON.parse((index === last && sample) || '{}') as object,
    }));
  });
}

/** The code of each block in a language, such as `ts`. */
export const samplesOf = (document: string, language: string): string[] =>
  [...document.matchAll(/```(\w+)\n(.*?)```/gs)].flatMap(([, name, sample = '']) =>
    name === language ? [sample] : [],
  );

/** The text below a heading, up to the next heading of its level. */
export function sectionOf(document: string, heading: string): string {
  const [, section] = document.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`The document has no section "${heading}"`);
  return section.split('\n## ')[0] ?? '';
}

/** The rows of the tables in a text, cell by cell, without their code marks; headings among them. */
export const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (?!-)(.*) \|$/gm)].map(([, row = '']) =>
    row.split(' | ').map((cell) => cell.replaceAll('`', '').trim()),
  );
