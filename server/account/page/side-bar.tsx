/** The groups of sections beside the content. In a narrow window, a bar opens them as a menu. */
import { useEffect, useId, useRef } from 'preact/hooks';
import { pageSizeMax } from '../../../models/bounds.ts';
import { Icon, type IconName } from './icon.tsx';

interface Place {
  /** In the address. */
  name: string;
  label: string;
  icon: IconName;
}

/** How many things in a section wait for the user. */
export interface Waiting {
  /** Null: not known. */
  count: number | null;
  /** Follows the count in the description of the link. */
  text: string;
  /** Follows the count in the bar. */
  noun: string;
}

export interface Entry extends Place {
  waiting?: Waiting | undefined;
  pages?: readonly Place[] | undefined;
}

interface EntryGroup {
  label: string | null;
  entries: readonly Entry[];
}

interface Props {
  groups: readonly EntryGroup[];
  current: Place;
  /** The shown page of the current section, if it has pages. */
  page: Place | undefined;
}

/** As in frame.css. */
const wide = '(width >= 62.5rem)';

export function SideBar({ groups, current, page }: Props) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const close = () => menu.current?.hidePopover();
  useEffect(() => {
    const width = matchMedia(wide);
    width.addEventListener('change', close);
    return () => width.removeEventListener('change', close);
  }, []);
  return (
    <nav class="side" aria-label="Account">
      <button type="button" class="menu-item side-button" popovertarget={id}>
        <Icon name="menu" />
        <span class="visually-hidden">Menu: </span>
        <strong>{(page ?? current).label}</strong>
        {groups
          .flatMap(({ entries }) => entries)
          .map(({ name, waiting }) => waiting && <Count key={name} of={waiting} noun={waiting.noun} />)}
        <Icon name="chevron" />
      </button>
      <div ref={menu} id={id} class="menu" popover="auto">
        {groups.map((group) => (
          <Group key={group.label} {...{ group, current, page }} onFollow={close} />
        ))}
      </div>
    </nav>
  );
}

type GroupProps = { group: EntryGroup; onFollow(): void } & Pick<Props, 'current' | 'page'>;

const Group = ({ group: { label, entries }, current, ...props }: GroupProps) => (
  <div class="side-group" {...(label && { role: 'group', 'aria-label': label })}>
    {label && (
      <p class="note side-label" aria-hidden="true">
        {label}
      </p>
    )}
    {entries.map((entry) => (
      <EntryLinks key={entry.name} {...{ ...props, entry }} isCurrent={entry.name === current.name} />
    ))}
  </div>
);

type EntryProps = { entry: Entry; isCurrent: boolean; onFollow(): void } & Pick<Props, 'page'>;

/** Only one link is the current page. */
function EntryLinks({ entry, isCurrent, page, onFollow }: EntryProps) {
  const { name, label, icon, waiting, pages = [] } = entry;
  return (
    <>
      <a
        class="menu-item"
        href={`#${name}`}
        onClick={onFollow}
        aria-current={isCurrent ? (page ? 'true' : 'page') : undefined}
        aria-description={describe(waiting)}
      >
        <Icon name={icon} />
        {label}
        {waiting && <Count of={waiting} isHidden />}
      </a>
      {pages.map((one) => (
        <a
          key={one.name}
          class="menu-item is-page"
          href={`#${name}/${one.name}`}
          onClick={onFollow}
          aria-current={isCurrent && one.name === page?.name ? 'page' : undefined}
        >
          <Icon name={one.icon} />
          {one.label}
        </a>
      ))}
    </>
  );
}

const atMost = (count: number) => (count === pageSizeMax ? `${count}+` : `${count}`);

const describe = (waiting: Waiting | undefined) =>
  waiting?.count ? `${atMost(waiting.count)} ${waiting.text}` : undefined;

type CountProps = { of: Pick<Waiting, 'count'>; noun?: string; isHidden?: boolean };

/** @param isHidden the link has it in its description */
function Count({ of: { count }, noun = '', isHidden = false }: CountProps) {
  return count ? (
    <span class="tab-count" aria-hidden={isHidden}>
      {`${atMost(count)} ${noun}`}
    </span>
  ) : null;
}

/** The host's announcements, in the header. */
export function NewsLink({ count, isCurrent }: { count: number; isCurrent: boolean }) {
  const waiting = { count, text: 'to read', noun: '' };
  return (
    <a
      class="header-link"
      href="#news"
      title="News"
      aria-current={isCurrent ? 'page' : undefined}
      aria-description={describe(waiting)}
    >
      <Icon name="bell" />
      <span class="visually-hidden">News</span>
      <Count of={waiting} isHidden />
    </a>
  );
}
