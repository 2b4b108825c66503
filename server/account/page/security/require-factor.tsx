/** Shown to staff who must show a second factor, or add their first, before they can do anything else. */
import { useRef } from 'preact/hooks';
import type { FactorKind } from '../api.ts';
import { SecurityView } from '../lazy-views.ts';
import { useQuery } from '../use-query.ts';
import { ResourceView, View } from '../view.tsx';
import { SecondFactorForm } from './second-factor-form.tsx';

export function RequireFactor({ onDone }: { onDone(): Promise<unknown> }) {
  const query = useQuery((api) => api.factors.list.query());
  // Read once: the recovery codes of the first factor stay visible, even if the list is loaded again.
  const known = useRef<FactorKind[]>(undefined);
  known.current ??= query.content?.factors.map(({ kind }) => kind);
  const kinds = known.current ?? [];
  if (known.current?.length === 0) return <SecurityView notice={addOne} onClosed={onDone} />;
  return (
    <View
      title="Confirm that it is you"
      lede="Administrators and support show a second factor every twelve hours."
    >
      <ResourceView of={query}>
        {() => (
          <section class="card">
            <SecondFactorForm kinds={kinds} onShown={onDone} />
          </section>
        )}
      </ResourceView>
    </View>
  );
}

const addOne = 'Your host requires a second factor of administrators and support. Add one to continue.';
