/** The Python package, built from the current sources and installed into a virtual environment of its own. */
import { readdir } from 'node:fs/promises';
import { writePythonClient } from '../../server/build/python.ts';
import { type ClientFolder, installFromPyPi } from './client-tools.ts';
import { onceARun } from './run-folder.ts';

const imports = 'import json, os\nfrom gamehost import *\nfrom gamehost.models import *\n';

export interface InstalledPackage extends ClientFolder {
  /** Runs a program against a host; resolves to what its last line prints as JSON. */
  answerOf(host: { url: string; key: string }, program: string): Promise<unknown>;
}

export async function installPythonClient(): Promise<InstalledPackage> {
  const built = await onceARun('python-client', (folder) =>
    writePythonClient(`${folder}dist/`, `${folder}sources/`),
  );
  const [wheel = ''] = await readdir(`${built}dist/`);
  const folder = await installFromPyPi('python-client', ['mypy==2.4.1', 'attrs==23.1.0', 'httpx==0.27.0']);
  await folder.run('pip', ['install', '--quiet', '--force-reinstall', '--no-deps', `${built}dist/${wheel}`]);
  return {
    ...folder,
    async answerOf({ url, key }, program) {
      const env = { GAMEHOST_URL: url, GAMEHOST_KEY: key };
      const printed = await folder.run('python', ['-c', imports + program], env);
      return JSON.parse(printed.trim().split('\n').at(-1) ?? '');
    },
  };
}
