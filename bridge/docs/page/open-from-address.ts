/** Opens the operation that the address names, at the start and whenever a link leads to one. */
import type { SwaggerUi } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

export function openFromAddress(ui: SwaggerUi): void {
  const open = () => {
    const [, tag, operation] = location.hash.match(/^#operations-(\w+)-(\w+)$/) ?? [];
    if (!tag || !operation) return;
    ui.layoutActions.show(['operations-tag', tag], true);
    ui.layoutActions.show(['operations', tag, operation], true);
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  };
  addEventListener('hashchange', open);
  open();
}
