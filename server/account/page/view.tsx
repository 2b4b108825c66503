/** The parts of a section: its heading, a query's content, and placeholders. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { hostName } from './brand.tsx';
import { Icon, type IconName } from './icon.tsx';
import { useFailureToast } from './shell.ts';
import type { Query } from './use-query.ts';

/**
 * Titles the browser's tab, so that the history distinguishes sections. @param label null: another component
 * sets it
 */
export function useTitle(label: string | null): void {
  useEffect(() => {
    if (label !== null) document.title = `${label} · ${hostName()}`;
  }, [label]);
}

interface HeadProps {
  /** A text is also the title of the browser's tab. */
  title: ComponentChildren;
  lede: ComponentChildren;
  action?: ComponentChildren;
}

interface ViewProps extends HeadProps {
  /** Above the heading, such as a link back to a list. */
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

/** Replaces a view while it loads. */
export const ViewSkeleton = () => (
  <main class="main" aria-busy="true">
    <p class="visually-hidden">Loading</p>
    <div class="page-head">
      <div class="bone bone-title" />
    </div>
    <ListSkeleton />
  </main>
);

interface ResourceProps<Content> {
  of: Pick<Query<Content>, 'content' | 'failure' | 'isFinal' | 'reload'>;
  placeholder?: ComponentChildren;
  children(content: Content): ComponentChildren;
}

/** A query's content, or why there is none. A failed reload is shown next to the old content. */
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

/** Replaces content that failed to load. @param isFinal another attempt would fail the same way */
export const Failed = (props: { message: string; isFinal?: boolean; onRetry: () => void }) => (
  <Blank icon="warning" isDanger title="That did not work" text={props.message}>
    {!props.isFinal && (
      <button type="button" class="button" onClick={props.onRetry}>
        Try again
      </button>
    )}
  </Blank>
);

/** @param role 'status': it may appear while the page is shown */
export const Warning = ({ role, children }: { role?: 'status'; children: ComponentChildren }) => (
  <p class="notice is-warning" role={role}>
    <Icon name="warning" />
    <span>{children}</span>
  </p>
);

/** Replaces a list while it loads, so that nothing moves when it arrives. */
export const ListSkeleton = () => (
  <div class="panel" aria-hidden="true">
    {[0, 1, 2].map((row) => (
      <div class="item" key={row}>
        <div class="bone bone-name" />
        <div class="bone" />
        <div class="bone bone-facts" />
      </div>
    ))}
  </div>
);
