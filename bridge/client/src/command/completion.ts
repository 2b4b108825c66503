/** The command completion: a script by which a shell completes groups, commands and options. */
import { Argument, type Command } from 'commander';

const writers = { bash: writeBash, zsh: writeZsh, fish: writeFish };

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('Print a script for your shell: source <(gamehost completion bash)')
    .addArgument(new Argument('<shell>').choices(Object.keys(writers)))
    .action((shell: keyof typeof writers) => void process.stdout.write(writers[shell](readLevels(program))));
}

/** Words after which the same words can follow. */
interface Level {
  /** Empty, a group, or a group and a command. */
  before: string[];
  commands: string[];
  options: string[];
}

function readLevels(command: Command, before: string[] = []): Level[] {
  const subcommands = command.commands.filter((one) => isWord(one.name()));
  const shown = command.options.filter(({ hidden }) => !hidden);
  const options = [...shown.map(({ long }) => long ?? ''), '--help'].filter(isWord);
  return [
    { before, commands: subcommands.map((one) => one.name()), options },
    ...subcommands.flatMap((one) => readLevels(one, [...before, one.name()])),
  ];
}

/** The host chooses names, and a shell runs the script: anything but a plain word is left out. */
const isWord = (name: string) => /^[\w-]+$/.test(name);

function writeBash(levels: Level[]): string {
  const cases = levels.map(({ before, commands, options }) => {
    const candidates = (commands.length > 0 ? commands : options).join(' ');
    return `    ${patternOf(before, commands.length > 0)}) candidates='${candidates}' ;;\n`;
  });
  return `_gamehost() {
  local candidates=
  case "$COMP_CWORD \${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases.join('')}  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$2"))
}
complete -o default -F _gamehost gamehost
`;
}

/** A command follows at once, an option anywhere later. */
function patternOf(before: string[], isCommandNext: boolean): string {
  const place = isCommandNext ? `'${before.length + 1} ` : "*' ";
  return before.length === 2 ? `${place}${before.join(' ')}'` : `${place}${before.map((one) => `${one} `)}'*`;
}

function writeZsh(levels: Level[]): string {
  return `(( $+functions[compdef] )) || { autoload -U compinit && compinit; }
autoload -U bashcompinit && bashcompinit
${writeBash(levels)}`;
}

function writeFish(levels: Level[]): string {
  const lines = levels.flatMap(({ before, commands, options }) => {
    const write = (conditions: string[], rest: string) =>
      `complete -c gamehost -n '${conditions.join('; and ')}' ${rest}\n`;
    return commands.length > 0
      ? write([...before.map(isSeen), `not ${isSeen(commands.join(' '))}`], `-f -a '${commands.join(' ')}'`)
      : options.map((name) => write(before.map(isSeen), `-l ${name.slice(2)}`));
  });
  return lines.join('');
}

const isSeen = (words: string) => `__fish_seen_subcommand_from ${words}`;
