/** What only the host's staff and systems call is hidden until a switch shows it, or an address points at it. */
import type { Plugin, System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';

const hiding = 'hides-operators';

export function setUpOperatorsSwitch(): void {
  const line = document.getElementById('operators-switch');
  const box = document.getElementById('show-operators');
  if (!line || !(box instanceof HTMLInputElement) || !document.querySelector('.is-for-operators')) return;
  const show = () => document.documentElement.classList.toggle(hiding, !box.checked);
  const showWhatIsPointedAt = () => {
    box.checked ||= document.getElementById(location.hash.slice(1))?.closest('.is-for-operators') != null;
    show();
  };
  line.hidden = false;
  box.addEventListener('change', show);
  addEventListener('hashchange', showWhatIsPointedAt);
  showWhatIsPointedAt();
}

/** Marks the groups of Swagger UI as those of the list are marked that it replaces. */
export function markOperators(): (system: System) => Plugin {
  const marked = [...document.querySelectorAll('.is-for-operators .listed-tag')];
  const ids = new Set(marked.map(({ id }) => id));
  const classOf = (tag: string) =>
    ids.has(`operations-tag-${tag}`) ? 'tag-group is-for-operators' : 'tag-group';
  return ({ React: { createElement } }) => ({
    wrapComponents: {
      OperationTag: (original) => (props: { tag: string }) =>
        createElement('div', { className: classOf(props.tag) }, createElement(original, props)),
    },
  });
}
