/** A list of facts about a customer, beside a ticket at the support desk. */
import { type ComponentChildren, toChildArray } from 'preact';
import type { Query } from '../use-query.ts';

interface FactsProps {
  title: string;
  of: Pick<Query<unknown>, 'content' | 'failure'>;
  children: ComponentChildren;
}

export const Facts = ({ title, of: { content, failure }, children }: FactsProps) => (
  <section>
    <h2>{title}</h2>
    {failure && <p class="note is-danger">{failure}</p>}
    {content === null && !failure && <p class="note">Loading</p>}
    {content !== null && (toChildArray(children).length > 0 ? <ul>{children}</ul> : <p class="note">None</p>)}
  </section>
);
