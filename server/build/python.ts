/** `npm run build:python`: writes the Python package that a host's customers install, from the description of the router. */
import { execFile } from 'node:child_process';
import { copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readOperations } from '../../bridge/client/src/operations.ts';
import { mapValues, pascalCase } from '../../bridge/json-schema.ts';
import { describeForCustomers } from './client.ts';

type CustomersDescription = ReturnType<typeof describeForCustomers>;

const run = promisify(execFile);
const projectFile = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const source = projectFile('bridge/client/python/');
const tools = projectFile('.cache/python-tools/');
const tool = (name: string) => `${tools}bin/${name}`;

/** Both folders end in a slash: one gets the wheel only, the other the sources of the package. */
export async function writePythonClient(folder: string, sources: string): Promise<void> {
  await installTools();
  await rm(sources, { recursive: true, force: true });
  await cp(source, sources, { recursive: true });
  await copyFile(projectFile('LICENSE'), `${sources}LICENSE`);
  await generate(sources);
  const { version } = JSON.parse(await readFile(projectFile('package.json'), 'utf8'));
  await rm(folder, { recursive: true, force: true });
  await run(tool('hatchling'), ['build', '--target', 'wheel', '--directory', folder], {
    cwd: sources,
    env: { GAMEHOST_VERSION: version },
  });
}

async function installTools(): Promise<void> {
  const requirements = `${source}requirements.txt`;
  try {
    await run('python3', ['-m', 'venv', tools]);
    await run(tool('pip'), ['install', '--quiet', '--requirement', requirements]);
  } catch (cause) {
    throw new Error('The Python package needs python3 (3.11 or newer) with venv, and PyPI', { cause });
  }
}

/** Keeps the two modules that our templates write, and nothing else of the package that the generator writes. */
async function generate(sources: string): Promise<void> {
  const [document, output] = [`${sources}openapi.json`, `${sources}generated/`];
  const description = describeForCustomers();
  await writeFile(document, JSON.stringify(describeForPython(description)));
  await writeFile(`${sources}templates/pagination.jinja`, writePagination(description));
  const options = {
    '--path': document,
    '--output-path': output,
    '--config': `${sources}generator.json`,
    '--custom-template-path': `${sources}templates/`,
  };
  const args = ['generate', '--meta', 'none', '--fail-on-warning', ...Object.entries(options).flat()];
  await run(tool('openapi-python-client'), args);
  await copyFile(`${output}models/__init__.py`, `${sources}gamehost/models.py`);
  await copyFile(`${output}api/__init__.py`, `${sources}gamehost/operations.py`);
  const modules = ['gamehost/models.py', 'gamehost/operations.py'];
  for (const command of ['check --fix-only', 'format'])
    await run(tool('ruff'), [...command.split(' '), ...modules], { cwd: sources });
}

/** Without webhooks and their schemas, and with descriptions where the generator reads them. */
function describeForPython({ webhooks: _, paths, components, ...document }: CustomersDescription) {
  const described = mapValues(paths, (methods) =>
    mapValues(methods, ({ parameters = [], ...operation }) => ({
      ...operation,
      parameters: parameters.map(({ schema, ...parameter }) => ({
        ...parameter,
        schema: { ...schema, description: parameter.description },
      })),
    })),
  );
  const used = new Set(schemasIn(described));
  // The set grows while it is read.
  for (const name of used) for (const inner of schemasIn(components.schemas[name])) used.add(inner);
  const schemas = Object.fromEntries([...used].map((name) => [name, components.schemas[name]]));
  return { ...document, paths: described, components: { schemas } };
}

const schemasIn = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);

/** The generator drops `x-pagination`, so our templates import it from here. */
function writePagination(description: CustomersDescription): string {
  const paged = readOperations(description).map(({ name, pagination }) => [pascalCase(name), pagination]);
  return `{% set pagination = ${JSON.stringify(Object.fromEntries(paged)).replaceAll(':null', ':none')} %}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await writePythonClient(projectFile('dist/client-python/'), projectFile('.cache/python-client/')).catch(
    ({ message }) => {
      process.stderr.write(`${message}\n`);
      process.exitCode = 1;
    },
  );
