/** Checkboxes for a key's scopes. */
import { useId } from 'preact/hooks';
import type { KeyList } from './api.ts';

interface Props {
  scopes: KeyList['grantable_scopes'];
  error: string | undefined;
}

export function ScopeFields({ scopes, error }: Props) {
  const id = useId();
  return (
    <fieldset class="field" aria-describedby={error ? `${id}-note` : undefined}>
      <legend>Scopes</legend>
      <div class="choices">
        {scopes.map(({ scope, sentence }) => (
          <label class="choice" key={scope}>
            <input type="checkbox" name="scope" value={scope} />
            <span>
              <code>{scope}</code>
              <span class="note">{sentence}</span>
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p id={`${id}-note`} class="note is-danger" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
