/** The operators' command line, run in the tests' process, with its output and exit code. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runCommandLine } from '../../server/cli/program.ts';
import { builtPrograms } from './built-programs.ts';

const projectDir = fileURLToPath(new URL('../../', import.meta.url));

interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

interface Options {
  /** Settings; the test run's own settings for a database are left out. */
  env?: NodeJS.ProcessEnv;
  stdin?: string;
  encoding?: BufferEncoding;
}

function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { MONGODB_URI, DATA_DIR, ...inherited } = process.env;
  return { ...inherited, ...env };
}

export async function runCli(
  args: readonly string[],
  { env = {}, stdin = '', encoding = 'utf8' }: Options = {},
): Promise<CliRun> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdin: Readable.from([Buffer.from(stdin, encoding)]), stdout, stderr, env: environment(env) };
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommandLine(args, io);
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err };
}

type CliProcess = ChildProcessWithoutNullStreams;

/** The built command line as a running process. */
export const startCliProcess = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<CliProcess> =>
  spawn(process.execPath, [`${await builtPrograms()}cli.js`, ...args], {
    cwd: projectDir,
    env: environment(env),
  });

/** The same, until it ends; `closesOutput` closes its standard output before it prints. */
export async function runCliProcess(
  args: readonly string[],
  { env = {}, stdin = '', closesOutput = false }: Options & { closesOutput?: boolean } = {},
): Promise<CliRun> {
  const child = await startCliProcess(args, env);
  child.stdin.end(stdin);
  if (closesOutput) child.stdout.destroy();
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    closesOutput ? '' : text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}

type Arguments = string | readonly string[];

const wordsOf = (args: Arguments) => (typeof args === 'string' ? args.split(' ') : args);

/**
 * The command line on one database; arguments as a list, or as words with one space between them.
 * @param settings a function when they are known only while the tests run
 */
export function createCli(settings: NodeJS.ProcessEnv | (() => NodeJS.ProcessEnv)) {
  const run = (args: Arguments, stdin = '', encoding: BufferEncoding = 'utf8') =>
    runCli(wordsOf(args), { env: typeof settings === 'function' ? settings() : settings, stdin, encoding });
  /** The message of a command that fails, which prints nothing else and no trace. */
  async function refusal(args: Arguments, code = 1): Promise<string> {
    const ended = await run(args);
    expect(ended, String(args)).to.include({ code, stdout: '' });
    expect(ended.stderr)
      .to.match(/^(Bringing [^\n]+\n)*error: [^\n]+\n/)
      .and.not.match(/^ +at /m);
    return ended.stderr.replace(/^.*?error: /s, '').trimEnd();
  }
  return {
    run,
    refusal,
    /** The same for several commands. The first one alone migrates a new database, as the others would print that they wait. */
    async refusals([first = '', ...others]: readonly Arguments[], code?: number): Promise<string[]> {
      const message = await refusal(first, code);
      return [message, ...(await Promise.all(others.map((args) => refusal(args, code))))];
    },
    /** The JSON that a successful command prints with --json. */
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape it expects
    async json(args: Arguments, stdin?: string): Promise<any> {
      const ended = await run([...wordsOf(args), '--json'], stdin);
      expect(ended.code, ended.stderr).to.equal(0);
      return JSON.parse(ended.stdout);
    },
    async text(args: Arguments): Promise<string> {
      const ended = await run(args);
      expect(ended.code, ended.stderr).to.equal(0);
      return ended.stdout;
    },
  };
}
