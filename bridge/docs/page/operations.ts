/** Swagger UI, reduced by a plugin to the operations: title, guide and key form are already on the page. */
import './disable-zenscroll.ts';
import SwaggerUI, { type Plugin, type SwaggerUi, type System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { markOperators } from './operators.ts';
import { samples } from './samples.ts';

// Colors for Swagger UI's highlighter, defined in the style sheet.
const key = { color: 'var(--code-key)' };
const text = { color: 'var(--code-string)' };
const value = { color: 'var(--code-value)' };
const codeColors = {
  hljs: {},
  'hljs-attr': key,
  'hljs-attribute': key,
  'hljs-string': text,
  'hljs-number': value,
  'hljs-literal': value,
  'hljs-keyword': value,
};

/** Resolves once the operations are rendered. */
export const mountOperations = (
  spec: Description,
  { container, onOpen }: { container: HTMLElement; onOpen: OnOpen },
): Promise<SwaggerUi> =>
  new Promise((resolve) => {
    const ui = SwaggerUI({
      spec,
      domNode: container,
      layout: 'OperationsLayout',
      plugins: [onlyOperations, samples, markOperators(), openings(onOpen)],
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelExpandDepth: 3,
      syntaxHighlight: { theme: 'docs' },
      onComplete: () => resolve(ui),
    });
  });

type OnOpen = (ui: SwaggerUi, operationId: string) => void;

/** Tells which operation is opened, by a click or by an address. */
const openings = (onOpen: OnOpen) => (): Plugin => ({
  statePlugins: {
    layout: {
      wrapActions: {
        show: (show, ui) => (path, isShown) => {
          const [kind, , operationId] = path;
          if (kind === 'operations' && operationId && isShown) onOpen(ui, operationId);
          return show(path, isShown);
        },
      },
    },
  },
});

interface LayoutProps {
  getComponent: (name: string, isConnected: boolean) => unknown;
}

/** One of Immutable's maps. */
interface SentRequest {
  getIn(path: string[]): unknown;
  setIn(path: string[], value: string): SentRequest;
}

interface CurlProps {
  request: SentRequest;
}

const keyHeaders = { Authorization: 'Bearer <API_KEY>', 'X-API-Key': '<API_KEY>' };

/** What is shown may be seen by others, in a picture or over a shoulder. */
const hideKey = (request: SentRequest): SentRequest =>
  Object.entries(keyHeaders).reduce((hidden, [name, shown]) => {
    const path = ['headers', name];
    return hidden.getIn(path) === undefined ? hidden : hidden.setIn(path, shown);
  }, request);

function onlyOperations({ React: { createElement } }: System): Plugin {
  const hidden = () => null;
  const plainText = (props: { text: unknown }) => createElement('span', null, props.text);
  const layout = ({ getComponent }: LayoutProps) =>
    createElement('div', { className: 'swagger-ui' }, createElement(getComponent('operations', true), null));
  const withoutKey = (original: unknown) => (props: CurlProps) =>
    createElement(original, { ...props, request: hideKey(props.request) });
  const labelled = (original: unknown) => (props: object) =>
    createElement(original, { ...props, 'aria-label': 'Request body' });
  return {
    components: {
      OperationsLayout: layout,
      // By default a link inside a button, which is not accessible; the table of contents links here instead.
      DeepLink: plainText,
      // The key form above replaces these.
      authorizeOperationBtn: hidden,
      TryItOutButton: hidden,
      // The same for all responses; the guide describes them.
      headers: hidden,
      CopyToClipboardBtn: hidden,
    },
    wrapComponents: { TextArea: labelled, curl: withoutKey },
    rootInjects: { syntaxHighlighting: { styles: { docs: codeColors } } },
  };
}

/** Opens the operation named in the URL hash, now and whenever the hash changes. */
export function openFromHash(ui: SwaggerUi): void {
  const open = () => {
    const [, tag, operation] = location.hash.match(/^#operations-(\w+)-(\w+)$/) ?? [];
    if (!tag || !operation) return;
    ui.layoutActions.show(['operations-tag', tag], true);
    ui.layoutActions.show(['operations', tag, operation], true);
  };
  addEventListener('hashchange', open);
  open();
}

interface Parameter {
  required?: boolean;
  example?: unknown;
}

export interface Description {
  paths: Record<string, Record<string, { operationId?: string; parameters?: Parameter[] }>>;
  servers: [{ url: string }];
  [part: string]: unknown;
}

export async function loadDescription(address: string): Promise<Description> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} responded with ${response.status}`);
  const description: Description = await response.json();
  return {
    ...description,
    paths: mapValues(description.paths, withoutOptionalExamples),
    servers: [server(address)],
  };
}

/** The configured public address may be another origin, which the page's security policy does not let it call. */
const server = (address: string) => ({
  url: new URL('.', new URL(address, location.href)).pathname.replace(/\/$/, ''),
});

/** Swagger UI fills in examples, which would then be sent with the call. */
const withoutOptionalExamples = (methods: Description['paths'][string]) =>
  mapValues(methods, (operation) => ({
    ...operation,
    ...(operation.parameters && { parameters: operation.parameters.map(withoutOptionalExample) }),
  }));

function withoutOptionalExample({ example, ...parameter }: Parameter): Parameter {
  return parameter.required ? { ...parameter, example } : parameter;
}

const mapValues = <Value, Result>(values: Record<string, Value>, change: (value: Value) => Result) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
