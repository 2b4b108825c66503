/** The frame of a section: its heading, and what stands in it where there is nothing to list. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface ViewProps {
  /** Over the heading, such as the way back to a list. */
  above?: ComponentChildren;
  title: ComponentChildren;
  lede: ComponentChildren;
  /** Beside the heading. */
  action?: ComponentChildren;
  children: ComponentChildren;
}

export const View = ({ above, children, ...head }: ViewProps) => (
  <main class="main">
    {above && <p>{above}</p>}
    <ViewHead {...head} />
    {children}
  </main>
);

export const ViewHead = ({ title, lede, action }: Omit<ViewProps, 'above' | 'children'>) => (
  <div class="page-head">
    <div>
      <h1 tabIndex={-1}>{title}</h1>
      <p class="lede">{lede}</p>
    </div>
    {action}
  </div>
);

interface CreateProps {
  label: string;
  isDisabled?: boolean;
  onClick(): void;
}

export const CreateButton = ({ label, isDisabled = false, onClick }: CreateProps) => (
  <button type="button" class="button is-primary" onClick={onClick} disabled={isDisabled}>
    <Icon name="plus" />
    {label}
  </button>
);

interface BlankProps {
  icon?: IconName;
  title: string;
  text: ComponentChildren;
  children?: ComponentChildren;
}

export const Blank = ({ icon, title, text, children }: BlankProps) => (
  <div class="blank">
    {icon && (
      <span class="blank-mark">
        <Icon name={icon} />
      </span>
    )}
    <h2>{title}</h2>
    <p>{text}</p>
    {children}
  </div>
);
