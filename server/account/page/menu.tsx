/** A button that opens a menu next to it. The browser closes it on Escape and on a click elsewhere. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

const MenuContext = createContext('');

interface Props {
  /** The name of the button for screen readers. */
  label: string;
  /** The class of the button. */
  class: string;
  /** The content of the button. */
  button: ComponentChildren;
  /** The items, and texts above them. */
  children: ComponentChildren;
}

const marginPx = 8;

export function Menu({ label, class: name, button, children }: Props) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  /** Below the button, or above it where there is no room; the right edges are aligned unless the menu would leave the window. */
  const place = () => {
    if (!opener.current || !menu.current) return;
    const { top, bottom, right } = opener.current.getBoundingClientRect();
    const { offsetWidth, offsetHeight, style } = menu.current;
    const isAbove = bottom + offsetHeight + marginPx > innerHeight && top > offsetHeight + marginPx;
    style.left = `${Math.max(marginPx, right - offsetWidth)}px`;
    style.top = `${isAbove ? top - offsetHeight - marginPx : bottom + marginPx}px`;
  };
  const move = (event: KeyboardEvent) => {
    if (!menu.current?.matches(':popover-open')) return;
    const items = [...menu.current.querySelectorAll<HTMLElement>('button, a')];
    const index = nextIndex(
      event.key,
      items.findIndex((item) => item.matches(':focus')),
    );
    if (index === null) return;
    event.preventDefault();
    items.at(index % items.length)?.focus();
  };
  return (
    <>
      <button ref={opener} type="button" class={name} popovertarget={id} aria-label={label} onKeyDown={move}>
        {button}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys come from its items */}
      <div ref={menu} id={id} class="menu" popover="auto" onToggle={place} onKeyDown={move}>
        <MenuContext.Provider value={id}>{children}</MenuContext.Provider>
      </div>
    </>
  );
}

/** @returns the item that the key moves to, which may be one after the last; negative: counted from the end */
function nextIndex(key: string, current: number): number | null {
  if (key === 'ArrowDown') return current + 1;
  if (key === 'ArrowUp') return Math.max(current, 0) - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? -1 : null;
}

interface ItemProps {
  icon?: IconName;
  isDangerous?: boolean;
  onClick(): void;
  children: ComponentChildren;
}

export const MenuItem = ({ icon, isDangerous = false, onClick, children }: ItemProps) => (
  <button
    type="button"
    class={isDangerous ? 'menu-item is-danger' : 'menu-item'}
    popovertarget={useContext(MenuContext)}
    popovertargetaction="hide"
    onClick={onClick}
  >
    {icon && <Icon name={icon} />}
    {children}
  </button>
);
