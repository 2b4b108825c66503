/** Shown in place of the list while there are no live keys. */
import { Icon } from './icon.tsx';

export function EmptyKeys({ onCreate }: { onCreate: () => void }) {
  return (
    <div class="blank">
      <span class="blank-mark">
        <Icon name="key" />
      </span>
      <h2>No live keys</h2>
      <p>Create one and make your first call in a minute: a ready-made command comes with it.</p>
      <button type="button" class="button is-primary" onClick={onCreate}>
        Create a key
      </button>
    </div>
  );
}
