/** The navigation between the sections of the page. */
import type { User } from '../api.ts';
import { useShell } from '../shell.ts';
import type { Section } from './route.ts';

export function Sections({ user, current }: { user: User; current: Section }) {
  const { settings } = useShell();
  const sections: [Section, string][] = [
    ['keys', 'API keys'],
    ...(settings.connected_apps ? ([['apps', 'Connected apps']] satisfies [Section, string][]) : []),
    ['tickets', 'Tickets'],
    ...(user.admin ? ([['support', 'Support desk']] satisfies [Section, string][]) : []),
  ];
  return (
    <nav class="sections" aria-label="Account">
      {sections.map(([section, label]) => (
        <a key={section} href={`#${section}`} aria-current={section === current ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
