/** Clients and generators from package registries, each installed once into its own folder in .cache/clients/. */
import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Context } from 'mocha';

const run = promisify(execFile);

export interface ClientFolder {
  /** Absolute, with a slash at its end. */
  path: string;
  /** Runs a program, first looking in the folder's Node.js tools and Python environment; resolves to its output. */
  run(program: string, args: string[], env?: Record<string, string>): Promise<string>;
  write(file: string, text: string): Promise<void>;
}

/** @throws {Error} which names the packages, when the registry does not provide them */
export async function installFromNpm(name: string, packages: string[]): Promise<ClientFolder> {
  const folder = await openFolder(name);
  await folder.write('package.json', JSON.stringify({ private: true, type: 'module' }));
  await folder.write('tsconfig.json', JSON.stringify({ compilerOptions: strictOptions }));
  await installOnce(folder.path, packages, () =>
    run('npm', [...npmInstall, ...packages], { cwd: folder.path }),
  );
  return folder;
}

/** @throws {Error} which names the packages, when the registry does not provide them */
export async function installFromPyPi(name: string, packages: string[]): Promise<ClientFolder> {
  const folder = await openFolder(name);
  await installOnce(folder.path, packages, async () => {
    await run('python3', ['-m', 'venv', folder.path]);
    await run(`${folder.path}bin/pip`, ['install', '--quiet', ...packages]);
  });
  return folder;
}

/** @throws {Error} which names the module, when no module proxy provides it */
export async function installFromGo(name: string, module: string): Promise<ClientFolder> {
  const folder = await openFolder(name);
  await installOnce(folder.path, [module], () =>
    run('go', ['install', module], { env: { ...process.env, GOBIN: `${folder.path}bin` } }),
  );
  return folder;
}

/** Skips the tests, and prints why, on a machine without the language's own tool. */
export async function requireTool(context: Context, program: string, args: string[]): Promise<void> {
  try {
    await run(program, args);
  } catch {
    process.stdout.write(`      skipped: "${program} ${args.join(' ')}" does not work on this machine\n`);
    context.skip(); // a test cannot install Python or Go as packages
  }
}

const npmInstall = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];

const strictOptions = {
  strict: true,
  skipLibCheck: false,
  module: 'nodenext',
  target: 'es2022',
  types: ['node'],
  noUncheckedIndexedAccess: true,
};

async function openFolder(name: string): Promise<ClientFolder> {
  const path = fileURLToPath(new URL(`../../.cache/clients/${name}/`, import.meta.url));
  await mkdir(path, { recursive: true });
  const PATH = `${path}bin:${path}node_modules/.bin:${process.env.PATH}`;
  return {
    path,
    async run(program, args, env = {}) {
      const options = { cwd: path, env: { ...process.env, PATH, ...env }, maxBuffer: 16 * 1024 * 1024 };
      return (await run(program, args, options)).stdout;
    },
    write: (file, text) => writeFile(`${path}${file}`, text),
  };
}

async function installOnce(path: string, packages: string[], install: () => Promise<unknown>): Promise<void> {
  const marker = `${path}.installed-${packages.join('+').replaceAll('/', '_')}`;
  try {
    await access(marker);
  } catch {
    await install().catch((cause) => {
      throw new Error(`This test needs ${packages.join(', ')} from the package registry`, { cause });
    });
    await writeFile(marker, '');
  }
}
