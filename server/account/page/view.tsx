/** What a section is made of: its heading, what a query shows in it, and what stands there until there is something to show. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { hostName } from './brand.tsx';
import { Icon, type IconName } from './icon.tsx';
import { useFailureToast } from './shell.ts';
import type { Query } from './use-query.ts';

/** Names what is shown in the browser's tab, which tells sections apart in a history. @param label null: another component does */
export function useTitle(label: string | null): void {
  useEffect(() => {
    if (label !== null) document.title = `${label} · ${hostName()}`;
  }, [label]);
}

interface HeadProps {
  /** A text is also the title of the browser's tab. */
  title: ComponentChildren;
  lede: ComponentChildren;
  /** Beside the heading. */
  action?: ComponentChildren;
}

interface ViewProps extends HeadProps {
  /** Over the heading, such as the way back to a list. */
  above?: ComponentChildren;
  children: ComponentChildren;
}

export const View = ({ above, children, ...head }: ViewProps) => (
  <main class="main">
    {above && <p>{above}</p>}
    <ViewHead {...head} />
    {children}
  </main>
);

export function ViewHead({ title, lede, action }: HeadProps) {
  useTitle(typeof title === 'string' ? title : null);
  return (
    <div class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        <p class="lede">{lede}</p>
      </div>
      {action}
    </div>
  );
}

interface ResourceProps<Content> {
  of: Pick<Query<Content>, 'content' | 'failure' | 'isFinal' | 'reload'>;
  placeholder?: ComponentChildren;
  children(content: Content): ComponentChildren;
}

/** What a query shows, or why it does not. A failure to read again what is shown is told next to it. */
export function ResourceView<Content>({
  of: { content, failure, isFinal, reload },
  placeholder = <ListSkeleton />,
  children,
}: ResourceProps<Content>) {
  useFailureToast(content === null ? null : failure);
  if (content !== null) return <>{children(content)}</>;
  return failure === null ? placeholder : <Failed message={failure} isFinal={isFinal} onRetry={reload} />;
}

export type CreateProps = { label: string; isDisabled?: boolean; onClick(): void };

export const CreateButton = ({ label, isDisabled = false, onClick }: CreateProps) => (
  <button type="button" class="button is-primary" onClick={onClick} disabled={isDisabled}>
    <Icon name="plus" />
    {label}
  </button>
);

export interface BlankProps {
  icon?: IconName;
  isDanger?: boolean;
  title: string;
  text: ComponentChildren;
  children?: ComponentChildren;
}

/** In place of content that there is not. */
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

/** In place of a list while it is loaded, so that nothing moves when it comes. */
export const ListSkeleton = () => (
  <div class="panel" aria-hidden="true">
    {[0, 1, 2].map((row) => (
      <div class="item" key={row}>
        <div class="bone bone-name" />
        <div class="bone bone-line" />
        <div class="bone bone-facts" />
      </div>
    ))}
  </div>
);
