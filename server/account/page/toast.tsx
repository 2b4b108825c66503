/** A short notification; screen readers announce it. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const shownMs = 5000;

interface Notification {
  text: ComponentChildren;
  isFailure: boolean;
}

export function useToast() {
  const [message, setMessage] = useState<Notification | null>(null);
  useEffect(() => {
    if (message === null) return;
    const timer = setTimeout(() => setMessage(null), shownMs);
    return () => clearTimeout(timer);
  }, [message]);
  const notify = useCallback((text: ComponentChildren) => setMessage({ text, isFailure: false }), []);
  const notifyOfFailure = useCallback((text: string) => setMessage({ text, isFailure: true }), []);
  return { message, notify, notifyOfFailure };
}

export function Toast({ message }: { message: Notification | null }) {
  return (
    <div class="toast-place" role="status">
      {message !== null && (
        <p class="toast">
          <Icon name={message.isFailure ? 'alert' : 'check'} />
          <span>{message.text}</span>
        </p>
      )}
    </div>
  );
}
