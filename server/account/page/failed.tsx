/** Shown in place of content that could not be loaded. */
import { Icon } from './icon.tsx';

interface Props {
  message: string;
  /** Whether another try would end in the same way. */
  isFinal?: boolean;
  onRetry: () => void;
}

export function Failed({ message, isFinal = false, onRetry }: Props) {
  return (
    <div class="blank" role="alert">
      <span class="blank-mark is-danger">
        <Icon name="warning" />
      </span>
      <h2>That did not work</h2>
      <p>{message}</p>
      {!isFinal && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
