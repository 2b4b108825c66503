/** Loads the code of a component when it is first shown. */
import type { ComponentType, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useOnline } from './use-query.ts';
import { Failed, ViewSkeleton } from './view.tsx';

const missing = 'This part of the page did not load. Check your connection and try again.';

/** Browsers do not load a module again that failed, and after an update of the service only the new page knows its modules. */
const reload = () => location.reload();

export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Placeholder: ComponentType = ViewSkeleton,
): FunctionComponent<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [View, setView] = useState(() => loaded);
    const [isMissing, setMissing] = useState(false);
    const show = async () => {
      loaded ??= await load();
      setView(() => loaded);
    };
    useEffect(() => void show().catch(() => setMissing(true)), []);
    useOnline(isMissing ? reload : null);
    if (View) return <View {...props} />;
    if (!isMissing) return <Placeholder />;
    const failed = <Failed message={missing} onRetry={reload} />;
    return Placeholder === ViewSkeleton ? <main class="main">{failed}</main> : failed;
  };
}
