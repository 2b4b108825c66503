/** Shown in place of content that could not be loaded. */
import { Icon } from './icon.tsx';

export function Failed({ message, onRetry }: { message: string; onRetry: () => void }) {
  return (
    <div class="blank" role="alert">
      <span class="blank-mark is-danger">
        <Icon name="warning" />
      </span>
      <h2>That did not work</h2>
      <p>{message}</p>
      <button type="button" class="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}
