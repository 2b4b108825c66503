/** Answers the calls of the client API about how a server starts, as a panel does. */
import { notFound, readField } from './answers.ts';
import type { GameServer, ServerRoutes, VariableAttributes } from './panel.ts';

const installMs = 6_000;

type StartingServer = Pick<GameServer, 'attributes' | 'startup'>;

/** Replaces placeholders with the values of the server's variables. */
export function fillIn(text: string, { attributes, startup }: StartingServer): string {
  const values = new Map([
    ['SERVER_MEMORY', String(attributes.limits.memory)],
    ...startup.variables.map((variable): [string, string] => [
      variable.env_variable,
      variable.server_value ?? variable.default_value,
    ]),
  ]);
  return text.replace(/\{\{(\w+)\}\}/g, (placeholder, name) => values.get(name) ?? placeholder);
}

export const commandOf = (server: StartingServer) =>
  fillIn(server.attributes.container.startup_command, server);

const metaOf = (server: GameServer) => ({
  startup_command: commandOf(server),
  raw_startup_command: server.attributes.container.startup_command,
});

const presentVariable = (attributes: VariableAttributes) => ({ object: 'egg_variable', attributes });

export const startupRoutes: ServerRoutes = {
  'GET startup'({ server }) {
    const { variables, images: docker_images } = server.startup;
    const meta = { ...metaOf(server), docker_images };
    return { body: { object: 'list', data: variables.map(presentVariable), meta } };
  },
  'PUT startup/variable'(call) {
    const { server } = call;
    const variable = server.startup.variables.find(
      ({ env_variable }) => env_variable === readField(call, 'key'),
    );
    if (!variable) return notFound();
    variable.server_value = String(readField(call, 'value') ?? '');
    // The panel stores an empty value, and answers null.
    const answered = { ...variable, server_value: variable.server_value || null };
    return { body: { ...presentVariable(answered), meta: metaOf(server) } };
  },
  'PUT settings/docker-image'(call) {
    call.server.attributes.container.image = String(readField(call, 'docker_image'));
    return { status: 204 };
  },
  'POST settings/reinstall'({ server }, panel) {
    server.signal('kill');
    server.attributes.status = 'installing';
    panel.after(installMs, () => Object.assign(server.attributes, { status: null }));
    return { status: 202, body: [] };
  },
};
