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
  const options = [...command.options.map(({ long }) => long ?? ''), '--help'].filter(isWord);
  return [
    { before, commands: subcommands.map((one) => one.name()), options },
    ...subcommands.flatMap((one) => readLevels(one, [...before, one.name()])),
  ];
}

/** The host chooses names, and a shell runs the script: anything but a plain word is left out. */
const isWord = (name: string) => /^[\w-]+$/.test(name);

/** A command follows its group at once; an option can stand anywhere after its command. */
function writeBash(levels: Level[]): string {
  const cases = levels.map(({ before, commands, options }) => {
    const [candidates, rest] = commands.length > 0 ? [commands, ''] : [options, '*'];
    return `    '${before.join(' ')} '${rest}) candidates='${candidates.join(' ')}' ;;\n`;
  });
  return `_gamehost() {
  local candidates=
  case "\${COMP_WORDS[*]:1:$((COMP_CWORD - 1))} " in
${cases.join('')}  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$2"))
}
complete -o default -F _gamehost gamehost
`;
}

function writeZsh(levels: Level[]): string {
  return `(( $+functions[compdef] )) || { autoload -U compinit && compinit; }
autoload -U bashcompinit && bashcompinit
${writeBash(levels)}`;
}

function writeFish(levels: Level[]): string {
  const lines = levels.flatMap(({ before, commands, options }) => {
    const seen = before.map((word) => `${isSeen} ${word}`);
    const words = commands.join(' ');
    return words === ''
      ? options.map((name) => `-n '${seen.join('; and ')}' -l ${name.slice(2)}`)
      : [`-n '${[...seen, `not ${isSeen} ${words}`].join('; and ')}' -f -a '${words}'`];
  });
  return lines.map((line) => `complete -c gamehost ${line}\n`).join('');
}

const isSeen = '__fish_seen_subcommand_from';
