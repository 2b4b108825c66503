/** A list entry with the class `item`: a head, actions beside it, and details below. */
import type { ComponentChildren } from 'preact';

interface Props {
  title: ComponentChildren;
  about?: ComponentChildren;
  actions?: ComponentChildren;
  /** A small entry, whose title is no heading. */
  isLine?: boolean;
  children?: ComponentChildren;
}

export const Item = ({ title, about, actions, isLine = false, children }: Props) => (
  <li class={isLine ? 'item is-line' : 'item'} tabIndex={-1}>
    <div class="item-head">
      {isLine ? (
        <strong dir="auto">{title}</strong>
      ) : (
        <h2>
          <bdi>{title}</bdi>
        </h2>
      )}
      {about}
    </div>
    {actions && <div class="actions">{actions}</div>}
    {children}
  </li>
);

export const Facts = ({ of: facts }: { of: Record<string, ComponentChildren> }) => (
  <dl class="facts">
    {Object.entries(facts).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
