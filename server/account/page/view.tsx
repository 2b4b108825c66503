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
  isDanger?: boolean;
  title: string;
  text: ComponentChildren;
  children?: ComponentChildren;
}

export const Blank = ({ icon, isDanger = false, title, text, children }: BlankProps) => (
  <div class="blank" role={isDanger ? 'alert' : undefined}>
    {icon && (
      <span class={isDanger ? 'blank-mark is-danger' : 'blank-mark'}>
        <Icon name={icon} />
      </span>
    )}
    <h2>{title}</h2>
    <p>{text}</p>
    {children}
  </div>
);

/** In place of content that could not be loaded. @param isFinal another try would end in the same way */
export const Failed = (props: { message: string; isFinal?: boolean; onRetry: () => void }) => (
  <Blank icon="warning" isDanger title="That did not work" text={props.message}>
    {!props.isFinal && (
      <button type="button" class="button" onClick={props.onRetry}>
        Try again
      </button>
    )}
  </Blank>
);

/** What the user should know before going on. @param role 'status': it may come while the page is shown */
export const Warning = ({ role, children }: { role?: 'status'; children: ComponentChildren }) => (
  <p class="notice is-warning" role={role}>
    <Icon name="warning" />
    <span>{children}</span>
  </p>
);
