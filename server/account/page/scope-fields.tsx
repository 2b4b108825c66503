/** Checkboxes for the scopes of a key or an app. What is wrong with the choice stands at the first of them. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  scopes: readonly { scope: string; sentence: string }[];
  error: string | undefined;
  legend?: string;
  /** Which are ticked, where no form keeps it. */
  chosen?: readonly string[];
  onToggle?: (scope: string) => void;
  /** Shown beside the legend. */
  children?: ComponentChildren;
}

export function ScopeFields({ scopes, error, legend = 'Scopes', chosen, onToggle, children }: Props) {
  const id = useId();
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {children}
      {error && (
        <p id={`${id}-note`} class="note is-danger">
          {error}
        </p>
      )}
      <div class="choices">
        {scopes.map(({ scope, sentence }, index) => (
          <label class="choice" key={scope}>
            <input
              type="checkbox"
              name="scope"
              value={scope}
              checked={chosen?.includes(scope)}
              {...(error && index === 0 && { 'aria-invalid': true, 'aria-describedby': `${id}-note` })}
              onChange={() => onToggle?.(scope)}
            />
            <span>
              <code>{scope}</code>
              <span class="note">{sentence}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
