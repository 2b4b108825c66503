/** Tabs that follow the WAI-ARIA pattern: arrow keys move between them. */
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';

interface Props {
  label: string;
  tabs: { name: string; content: ComponentChildren }[];
}

export function Tabs({ label, tabs }: Props) {
  const id = useId();
  const [selected, setSelected] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined) return;
    const next = (selected + step + tabs.length) % tabs.length;
    setSelected(next);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={index === selected}
            aria-controls={`${id}-panel`}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => setSelected(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
        {tabs[selected]?.content}
      </div>
    </div>
  );
}

const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
