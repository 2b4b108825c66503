/** Buttons and a search form for several views. */
import { Icon, type IconName } from './icon.tsx';
import { boundsOf, type FormRequest } from './requests.ts';

interface ActionProps {
  icon?: IconName;
  label: string;
  /** Completes the label for screen readers, as in "Edit Status page". */
  about: string;
  isBusy?: boolean;
  isDangerous?: boolean;
  onAct(): void;
}

/** A small button, one of several actions on an item. While busy it keeps the focus and does nothing. */
export const ActionButton = ({
  icon,
  label,
  about,
  isBusy = false,
  isDangerous = false,
  onAct,
}: ActionProps) => (
  <button
    type="button"
    class={isDangerous ? 'button is-small is-quiet-danger' : 'button is-small'}
    aria-label={`${label} ${about}`}
    aria-disabled={isBusy}
    onClick={() => !isBusy && onAct()}
  >
    {icon && <Icon name={icon} />}
    {label}
  </button>
);

interface MainProps {
  type: 'submit' | 'button';
  label: string;
  isDangerous?: boolean;
  isBusy: boolean;
  onClick?: () => void;
}

export const MainButton = ({ type, label, isDangerous = false, isBusy, onClick }: MainProps) => (
  <button
    type={type}
    class={isDangerous ? 'button is-danger' : 'button is-primary'}
    aria-disabled={isBusy}
    data-busy={isBusy}
    onClick={onClick}
  >
    <span class="button-label">{label}</span>
    {isBusy && <span class="spinner" aria-hidden="true" />}
  </button>
);

interface SegmentsProps<Name> {
  label: string;
  segments: readonly { name: Name; label: string }[];
  chosen: Name | null;
  onChoose(name: Name): void;
}

export const Segments = <Name extends string>({ label, segments, chosen, onChoose }: SegmentsProps<Name>) => (
  <fieldset class="segments" aria-label={label}>
    {segments.map(({ name, label }) => (
      <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
        {label}
      </button>
    ))}
  </fieldset>
);

interface SearchProps {
  request: FormRequest;
  hint: string;
  label: string;
  value: string;
  onSearch(text: string): void;
}

export function SearchForm({ request, hint, label, value, onSearch }: SearchProps) {
  const search = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    onSearch(String(new FormData(event.currentTarget).get('search')).trim());
  };
  return (
    <search>
      <form onSubmit={search}>
        <input
          key={value}
          class="input"
          type="search"
          name="search"
          dir="auto"
          maxLength={boundsOf(request, 'search').maxLength}
          defaultValue={value}
          placeholder={hint}
          aria-label={label}
        />
        <button type="submit" class="button">
          Search
        </button>
      </form>
    </search>
  );
}
