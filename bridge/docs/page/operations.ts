/** Swagger UI without what the page has already: only the operations, open to be tried, as its plugin interface allows. */
import './own-scrolling.ts';
import SwaggerUI, { type Plugin, type SwaggerUi, type System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { codeColours } from './code-colours.ts';

/** Resolves when the operations can be seen. */
export const mountOperations = (spec: object, domNode: HTMLElement): Promise<SwaggerUi> =>
  new Promise((resolve) => {
    const ui = SwaggerUI({
      spec,
      domNode,
      layout: 'OperationsLayout',
      plugins: [onlyOperations],
      tryItOutEnabled: true,
      displayRequestDuration: true,
      defaultModelExpandDepth: 3,
      syntaxHighlight: { theme: 'ours' },
      onComplete: () => resolve(ui),
    });
  });

interface LayoutProps {
  getComponent: (name: string, isConnected: boolean) => unknown;
}

function onlyOperations({ React: { createElement } }: System): Plugin {
  const nothing = () => null;
  const text = (props: { text: unknown }) => createElement('span', null, props.text);
  const layout = ({ getComponent }: LayoutProps) =>
    createElement('div', { className: 'swagger-ui' }, createElement(getComponent('operations', true), null));
  const labelled = (original: unknown) => (props: object) =>
    createElement(original, { ...props, 'aria-label': 'Request body' });
  return {
    components: {
      OperationsLayout: layout,
      // A link inside a button, which keyboards and screen readers cannot tell apart; the contents link here instead.
      DeepLink: text,
      // The key is given once, above.
      authorizeOperationBtn: nothing,
      TryItOutButton: nothing,
      // All answers have the same, of which the guide tells.
      headers: nothing,
      CopyToClipboardBtn: nothing,
    },
    wrapComponents: { TextArea: labelled },
    rootInjects: { syntaxHighlighting: { styles: { ours: codeColours } } },
  };
}
