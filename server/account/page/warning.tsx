/** What the user should know before going on. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

interface Props {
  /** 'status': it may come while the page is shown, and is then announced. */
  role?: 'status';
  children: ComponentChildren;
}

export const Warning = ({ role, children }: Props) => (
  <p class="notice is-warning" role={role}>
    <Icon name="warning" />
    <span>{children}</span>
  </p>
);
