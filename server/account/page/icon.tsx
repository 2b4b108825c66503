/** Inline SVG icons. Each stands next to its text and is hidden from screen readers. */
const paths = {
  alert: 'M12 8v4.5M12 16h.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z',
  archive: 'M3 5h18v4H3zM5 9v10h14V9M10 13h4',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  back: 'M19 12H5M11 6l-6 6 6 6',
  bell: 'M6 16.5V11a6 6 0 1 1 12 0v5.5l1.5 1.5h-15L6 16.5ZM10 21h4',
  book: 'M4 5.5A2.5 2.5 0 0 1 6.5 3H20v15H6.5A2.5 2.5 0 0 0 4 20.5v-15ZM4 20.5A2.5 2.5 0 0 0 6.5 21H20v-3',
  card: 'M3 6h18v12H3zM3 10h18M7 14.5h4',
  chart: 'M4 4v16h16M8 16v-4M12 16V8M16 16v-6',
  chat: 'M4 5h16v11H10l-4.5 4V16H4V5ZM8 9h8M8 12h5',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevron: 'm6 9 6 6 6-6',
  clock: 'M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0ZM12 7v5l3.5 2',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  dots: 'M6 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0ZM13 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0ZM20 12a1 1 0 1 1-2 0 1 1 0 0 1 2 0Z',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  edit: 'M4 20h4L19.5 8.5l-4-4L4 16v4ZM13 7l4 4',
  external: 'M14 4h6v6M20 4l-9 9M17 14v6H4V7h6',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM15 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0Z',
  file: 'M6 3h8l4 4v14H6V3ZM14 3v4h4',
  folder: 'M3 6h6l2 2.5h10V19H3V6Z',
  hook: 'M12 11.5a3.5 3.5 0 1 0-3.2-4.9M11 9.5 7.5 16M7 13a3.5 3.5 0 1 0 3.4 4.3H16M17 20.5a3.5 3.5 0 1 0-2-6.4L12.5 9',
  inbox: 'M5.5 5h13L21 13v6H3v-6L5.5 5ZM3 13h5l1.5 3h5l1.5-3h5',
  key: 'M12.5 15.5a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM11.3 12.7 20 4M16.5 7.5l3 3M13.7 10.3l2 2',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  mail: 'M3 6h18v12.5H3zM3.5 6.5 12 13l8.5-6.5',
  menu: 'M4 6.5h16M4 12h16M4 17.5h16',
  news: 'M4 10v4l3 .5L16.5 19V5L7 9.5 4 10ZM7 14.5 8.5 20H11l-1.3-4.2M19.5 9.5v5',
  play: 'M7 4.5v15l12.5-7.5L7 4.5Z',
  plug: 'M9 3v5M15 3v5M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0V8ZM12 17v4',
  plus: 'M12 5v14M5 12h14',
  refresh: 'M20 11a8 8 0 0 0-14.3-4L4 9M4 4v5h5M4 13a8 8 0 0 0 14.3 4L20 15M20 20v-5h-5',
  rotate: 'M17 3l4 4-4 4M21 7H8a5 5 0 0 0-5 5M7 21l-4-4 4-4M3 17h13a5 5 0 0 0 5-5',
  search: 'M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0ZM16 16l4.5 4.5',
  send: 'M4 12 20.5 4 15 20.5l-3.2-6.8L4 12ZM11.8 13.7 20.5 4',
  server: 'M4 4h16v6.5H4zM4 13.5h16V20H4zM8 7.25h.01M8 16.75h.01',
  shield: 'M12 3 5 6v5.5c0 4.3 2.9 7.6 7 9.5 4.1-1.9 7-5.2 7-9.5V6l-7-3ZM9 12l2.2 2.2L15.2 10',
  sliders: 'M4 7h9M17 7h3M13 5h4v4h-4zM4 17h3M11 17h9M7 15h4v4H7z',
  stop: 'M6 6h12v12H6z',
  tag: 'M3.5 12.5v-9h9l8 8-9 9-8-8ZM8 8h.01',
  terminal: 'M3 5h18v14H3zM7 9l3 3-3 3M12.5 15h4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  upload: 'M12 15V4M7 8.5 12 3.5l5 5M5 20h14',
  users:
    'M15.5 19.5v-1.5a4 4 0 0 0-4-4h-4a4 4 0 0 0-4 4v1.5M13 7.5a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0ZM20.5 19.5V18a4 4 0 0 0-3-3.9M15.5 4.2a3.5 3.5 0 0 1 0 6.6',
  warning: 'M12 4 2.8 19.5h18.4L12 4ZM12 10v4M12 17h.01',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
