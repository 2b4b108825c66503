/** Answers the calls of the client API about how a server starts, as a panel does. */
import { notFound, readField } from './answers.ts';
import type { GameServer, ServerRoutes, Startup, VariableAttributes } from './panel.ts';

const installMs = 6_000;

type StartingServer = Pick<GameServer, 'attributes' | 'startup'>;

const valuesOf = ({ variables }: Pick<Startup, 'variables'>) =>
  variables.map(({ env_variable, server_value, default_value }): [string, string] => [
    env_variable,
    server_value ?? default_value,
  ]);

/** Keeps the values of now, such as the version that the installation downloads. */
export function install({ startup }: Pick<GameServer, 'startup'>): void {
  startup.installed = valuesOf(startup).map(([name, value]) => [`INSTALLED_${name}`, value]);
}

/** Replaces placeholders with the values of the server's variables. */
export function fillIn(text: string, { attributes, startup }: StartingServer): string {
  const memory: [string, string] = ['SERVER_MEMORY', String(attributes.limits.memory)];
  const values = new Map([memory, ...valuesOf(startup), ...(startup.installed ?? [])]);
  return text.replace(/\{\{(\w+)\}\}/g, (placeholder, name) => values.get(name) ?? placeholder);
}

const presentVariable = (attributes: VariableAttributes) => ({ object: 'egg_variable', attributes });

export const startupRoutes: ServerRoutes = {
  'GET startup'({ server }) {
    const { variables, images: docker_images } = server.startup;
    const meta = {
      startup_command: fillIn(server.attributes.container.startup_command, server),
      docker_images,
    };
    return { body: { object: 'list', data: variables.map(presentVariable), meta } };
  },
  'PUT startup/variable'(call) {
    const key = readField(call, 'key');
    const variable = call.server.startup.variables.find(({ env_variable }) => env_variable === key);
    if (!variable) return notFound();
    variable.server_value = String(readField(call, 'value') ?? '');
    return { body: presentVariable(variable) };
  },
  'PUT settings/docker-image'(call) {
    call.server.attributes.container.image = String(readField(call, 'docker_image'));
    return { status: 204 };
  },
  'POST settings/reinstall'({ server }, panel) {
    server.signal('kill');
    server.attributes.status = 'installing';
    panel.after(installMs, () => {
      install(server);
      server.attributes.status = null;
    });
    return { status: 202, body: [] };
  },
};
