/** A front end in another repository: it has our packed package, @trpc and TypeScript, and nothing else of ours. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const projectDir = fileURLToPath(new URL('../..', import.meta.url));
const tsc = join(projectDir, 'node_modules/typescript/bin/tsc');

const tsconfig = {
  include: ['*.ts'],
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    types: ['node'],
    outDir: 'built',
  },
};

export async function createFrontEnd() {
  const dir = await mkdtemp(join(tmpdir(), 'gamehost-front-end-'));
  const packageDir = join(dir, 'node_modules/gamehost');
  await mkdir(packageDir, { recursive: true });
  await run('tar', ['-xzf', await packInto(dir), '-C', packageDir, '--strip-components', '1']);
  for (const name of ['@trpc/client', '@trpc/server', '@types/node']) await link(dir, name);
  await writeFile(join(dir, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(tsconfig));
  return {
    packageDir,
    write: (file: string, source: string) => writeFile(join(dir, file), source),
    /** Type-checks and compiles what was written; the errors, as "file.ts(line) code". */
    async build(): Promise<string[]> {
      const { stdout } = await run(process.execPath, [tsc, '--pretty', 'false'], { cwd: dir }).catch(
        (failure: { stdout: string }) => failure,
      );
      return [...stdout.matchAll(/^(\S+\(\d+),\d+\): error (TS\d+)/gm)].map(
        ([, place, code]) => `${place}) ${code}`,
      );
    },
    /** Runs a built file; what it printed, line by line. */
    async run(file: string, env: Record<string, string>): Promise<string[]> {
      const { stdout } = await run(process.execPath, [join('built', file)], { cwd: dir, env });
      return stdout.trim().split('\n');
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Packs what the sources now say: what dist/ holds may be older. */
async function packInto(dir: string): Promise<string> {
  const sourceDir = join(dir, 'package');
  await run(
    process.execPath,
    [tsc, '--noCheck', '--emitDeclarationOnly', '--outDir', join(sourceDir, 'dist')],
    {
      cwd: projectDir,
    },
  );
  for (const file of ['package.json', 'README.md', 'LICENSE'])
    await copyFile(join(projectDir, file), join(sourceDir, file));
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: sourceDir });
  return join(sourceDir, stdout.trim());
}

async function link(dir: string, name: string): Promise<void> {
  const place = join(dir, 'node_modules', name);
  await mkdir(dirname(place), { recursive: true });
  await symlink(join(projectDir, 'node_modules', name), place, 'dir');
}
