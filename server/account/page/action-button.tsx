/** A small button for one of several things in a list. */
import { Icon, type IconName } from './icon.tsx';

interface Props {
  icon?: IconName;
  label: string;
  /** Completes the label for screen readers, as in "Edit Status page". */
  about: string;
  isBusy?: boolean;
  isDangerous?: boolean;
  onAct(): void;
}

/** While it is busy it keeps the focus, and does nothing. */
export const ActionButton = ({ icon, label, about, isBusy = false, isDangerous = false, onAct }: Props) => (
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
