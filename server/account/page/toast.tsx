/** A short notification; screen readers announce it. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const shownMs = 5000;

export function useToast() {
  const [message, setMessage] = useState<string | null>(null);
  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => setMessage(null), shownMs);
    return () => clearTimeout(timer);
  }, [message]);
  return { message, notify: useCallback((text: string) => setMessage(text), []) };
}

export function Toast({ message }: { message: string | null }) {
  return (
    <div class="toast-place" role="status">
      {message !== null && (
        <p class="toast">
          <Icon name="check" />
          {message}
        </p>
      )}
    </div>
  );
}
