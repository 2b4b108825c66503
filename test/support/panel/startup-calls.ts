/** How a panel refuses changes of how a server starts, by the rules of its variables. */
import { type PanelAnswer, readField, refusal } from '../../../server/panel/demo/answers.ts';
import { answerServerCall } from '../../../server/panel/demo/server-calls.ts';
import { invalidBody } from './answers.ts';
import { type Overrides, refuseForNode, startupOf } from './emulated-panel.ts';

const isMatch = (value: string, expression: string) => {
  const [, pattern = '', flags = ''] = /^\/(.*)\/(\w*)$/.exec(expression) ?? [];
  return new RegExp(pattern, flags).test(value);
};

/** Those that tests use. The size is that of a number, or the length of a text. */
const checks: Partial<Record<string, (value: string, parameters: string, size: number) => boolean>> = {
  required: (value) => value !== '',
  boolean: (value) => /^[01]$/.test(value),
  integer: (value) => /^[+-]?\d+$/.test(value),
  numeric: (value) => value !== '' && Number.isFinite(Number(value)),
  in: (value, options) => options.split(',').includes(value),
  min: (_, least, size) => size >= Number(least),
  max: (_, most, size) => size <= Number(most),
  between: (_, bounds, size) => {
    const [least = 0, most = 0] = bounds.split(',').map(Number);
    return size >= least && size <= most;
  },
  regex: isMatch,
};

function isAllowed(value: string, rules: readonly string[]): boolean {
  // The panel reads an empty text as null, which is no string.
  if (value === '') return rules.includes('nullable');
  const size = rules.some((rule) => /^(integer|numeric)$/.test(rule)) ? Number(value) : [...value].length;
  return rules.every((rule) => {
    const [, name = '', parameters = ''] = /^(\w+):?(.*)$/.exec(rule) ?? [];
    return checks[name]?.(value, parameters, size) ?? true;
  });
}

const invalidValue = () => refusal(422, 'ValidationException', 'The value format is invalid.');

const refuseUneditable = (detail: string) =>
  refusal(400, 'BadRequestHttpException', `The environment variable you are trying to edit ${detail}.`);

export const startupOverrides: Overrides = {
  'PUT startup/variable'(call, panel): PanelAnswer {
    const key = readField(call, 'key');
    const value = String(readField(call, 'value') ?? '').trim();
    if (typeof key !== 'string') return invalidBody();
    const { variables, hidden } = startupOf(call.attributes, panel);
    const variable = [...variables, ...hidden].find(({ env_variable }) => env_variable === key.trim());
    if (!variable && panel.dialect === 'pterodactyl') return refusal(500, 'ErrorException');
    if (!variable || hidden.includes(variable)) return refuseUneditable('does not exist');
    if (!variable.is_editable) return refuseUneditable('is read-only');
    if (!isAllowed(value, variable.rules.split('|'))) return invalidValue();
    const body = JSON.stringify({ key: key.trim(), value });
    return answerServerCall({ ...call, body }, panel);
  },
  'PUT settings/docker-image'(call, panel) {
    const offered = Object.values(startupOf(call.attributes, panel).images);
    if (!offered.includes(String(readField(call, 'docker_image')))) return invalidBody();
    const detail =
      "This server's Docker image has been manually set by an administrator and cannot be updated.";
    return offered.includes(call.attributes.container.image)
      ? null
      : refusal(400, 'BadRequestHttpException', detail);
  },
  'POST settings/reinstall'(call, panel) {
    const refused = refuseForNode(call, panel);
    if (refused) return refused;
    call.attributes.status = 'installing';
    return { status: 202, body: [] };
  },
};
