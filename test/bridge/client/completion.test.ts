/** gamehost completion: the words that a shell proposes. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { openGamehostCommand } from '../../support/gamehost-command.ts';
import { listenLocally } from '../../support/local-server.ts';
import { useService } from '../../support/service.ts';
import { useStarted } from '../../support/use-started.ts';

const run = promisify(execFile);

describe('gamehost completion', () => {
  const service = useService();
  const command = useStarted(openGamehostCommand);

  const scriptFor = async (shell: string, url = service.url) => {
    const { stdout } = await command.run(['completion', shell], { env: { GAMEHOST_URL: url } });
    return stdout;
  };
  /** The words that bash proposes for the last one. */
  const complete = async (script: string, line: string) => {
    const words = line.split(' ');
    const ask = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}
_gamehost gamehost '${words.at(-1)}'; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['-c', `${script}\n${ask}`]);
    return stdout.trim().split('\n').sort();
  };

  it('completes groups, commands and options in bash', async () => {
    const script = await scriptFor('bash');
    expect(await complete(script, 'gamehost log')).to.deep.equal(['login', 'logout']);
    expect(await complete(script, 'gamehost se')).to.include('servers');
    expect(await complete(script, 'gamehost servers ')).to.have.length.above(10);
    expect(await complete(script, 'gamehost login --u')).to.deep.equal(['--url']);
    expect(await complete(script, 'gamehost nonsense ')).to.deep.equal(['']);
    const [first = ''] = await complete(script, 'gamehost servers ');
    expect(await complete(script, `gamehost servers ${first} a1b2c3d4 --`)).to.include('--help');
  });

  it('is written for zsh and fish, too', async () => {
    const zsh = await scriptFor('zsh');
    expect(zsh)
      .to.include('bashcompinit')
      .and.include(await scriptFor('bash'));
    const fish = await scriptFor('fish');
    expect(fish).to.match(
      /^complete -c gamehost -n 'not __fish_seen_subcommand_from login [^']+' -f -a 'login /,
    );
    expect(fish).to.include("complete -c gamehost -n '__fish_seen_subcommand_from login' -l url\n");
  });

  it('leaves out names by which a host could run a program', async () => {
    const names = ["'; touch /tmp/x; '", '$(touch x)', 'a b', '`x`', 'harmless'];
    const operationOf = (name: string) => ({ operationId: name, summary: '', description: '', tags: [name] });
    const paths = Object.fromEntries(names.map((name, index) => [`/${index}`, { get: operationOf(name) }]));
    const description = JSON.stringify({ paths, components: { schemas: {} } });
    const host = await listenLocally(createServer((_, response) => response.end(description)));
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(await scriptFor(shell, host.url))
        .to.include('harmless')
        .and.not.match(/touch |[$]\(touch|a b|`/);
    await host.stop();
  });
});
