/** In each operation of Swagger UI: its samples in tabs, and its address to copy. */
import type { Plugin, System } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { copyText } from './copy.ts';

interface Sample {
  label: string;
  source: string;
}

/** One of Immutable's maps. */
interface OperationProps {
  operation: { get(field: string): unknown };
}

/** Below the parameters, for which every operation has a place. React leaves alone what is in an element without children of its own. */
export const samples = ({ React: { createElement, Fragment } }: System): Plugin => ({
  wrapComponents: {
    parameters: (original) => (props: OperationProps) => {
      const fill = (section: HTMLElement | null) => {
        if (section?.childElementCount === 0) section.append(...createContent(props));
      };
      const section = createElement('div', { className: 'opblock-section samples', ref: fill });
      return createElement(Fragment, null, createElement(original, props), section);
    },
  },
});

function createContent({ operation }: OperationProps): HTMLElement[] {
  const id = String(operation.get('operationId'));
  const all = toPlain<Sample[]>(operation.get('x-codeSamples')) ?? [];
  const header = create('div', { className: 'opblock-section-header' });
  const link = create('button', { type: 'button', className: 'copy-link', textContent: 'Copy link' });
  const address = `#operations-${toPlain<string[]>(operation.get('tags'))?.[0]}-${id}`;
  link.addEventListener('click', () => copyText(new URL(address, location.href).href, link));
  header.append(create('h4', { textContent: all.length > 0 ? 'Samples' : '' }), link);
  return all.length > 0 ? [header, ...createTabs(id, all)] : [header];
}

/** What the reader chose last, for the operations that are opened next. */
let chosenLabel = 'curl';

function createTabs(id: string, all: readonly Sample[]): HTMLElement[] {
  const list = create('div', { className: 'sample-tabs', role: 'tablist', ariaLabel: 'Language' });
  const { panel, code } = createPanel(`${id}-sample`);
  const tabs = all.map(({ label }) =>
    create('button', {
      type: 'button',
      role: 'tab',
      className: 'tablinks',
      id: `${id}-${label}`,
      textContent: label,
    }),
  );
  const choose = (index: number) => {
    chosenLabel = all[index]?.label ?? '';
    code.textContent = all[index]?.source ?? '';
    panel.setAttribute('aria-labelledby', tabs[index]?.id ?? '');
    for (const [at, tab] of tabs.entries()) {
      tab.ariaSelected = String(at === index);
      tab.tabIndex = at === index ? 0 : -1;
    }
  };
  for (const [index, tab] of tabs.entries()) {
    tab.setAttribute('aria-controls', panel.id);
    tab.addEventListener('click', () => choose(index));
  }
  list.addEventListener('keydown', (event) => moveFocus(event, tabs, choose));
  list.append(...tabs);
  choose(
    Math.max(
      0,
      all.findIndex(({ label }) => label === chosenLabel),
    ),
  );
  return [list, panel];
}

function createPanel(id: string) {
  const panel = create('div', { className: 'sample', role: 'tabpanel', id, tabIndex: 0 });
  const code = create('code');
  const pre = create('pre');
  const copy = create('button', { type: 'button', className: 'copy-button', textContent: 'Copy' });
  copy.addEventListener('click', () => copyText(code.textContent, copy));
  pre.append(code);
  panel.append(pre, copy);
  return { panel, code };
}

/** The arrow keys choose the tab before or after. */
function moveFocus(
  event: KeyboardEvent,
  tabs: readonly HTMLElement[],
  choose: (index: number) => void,
): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const at = tabs.findIndex((tab) => tab.matches(':focus'));
  const next = (at + step + tabs.length) % tabs.length;
  choose(next);
  tabs[next]?.focus();
}

const create = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]> = {},
): HTMLElementTagNameMap[Tag] => Object.assign(document.createElement(tag), properties);

/** Of one of Immutable's lists; undefined where there is none. */
function toPlain<Value>(list: unknown): Value | undefined {
  const isList = typeof list === 'object' && list !== null && 'toJS' in list;
  return isList && typeof list.toJS === 'function' ? (list.toJS() as Value) : undefined; // as the document has it
}
