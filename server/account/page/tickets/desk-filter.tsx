/** Which tickets the support desk shows: the queue, all of them, or what a search finds. */
import type { TicketFilter } from './desk.ts';

interface Props {
  filter: TicketFilter;
  onChange(filter: TicketFilter): void;
}

const views = [
  { label: 'Waiting', isQueue: true },
  { label: 'All', isQueue: false },
];

export const DeskFilter = ({ filter, onChange }: Props) => (
  <div class="desk-filter">
    <fieldset class="segments" aria-label="Which tickets">
      {views.map(({ label, isQueue }) => (
        <button
          key={label}
          type="button"
          aria-pressed={!filter.search && filter.isQueue === isQueue}
          onClick={() => onChange({ isQueue, search: '' })}
        >
          {label}
        </button>
      ))}
    </fieldset>
    <Search filter={filter} onChange={onChange} />
  </div>
);

function Search({ filter, onChange }: Props) {
  const search = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    onChange({ ...filter, search: String(new FormData(event.currentTarget).get('search')).trim() });
  };
  return (
    <search>
      <form onSubmit={search}>
        <input
          key={filter.search}
          class="input"
          type="search"
          name="search"
          maxLength={200}
          defaultValue={filter.search}
          placeholder="Subject or e-mail"
          aria-label="Search in subjects and by a customer's e-mail address"
        />
        <button type="submit" class="button">
          Search
        </button>
      </form>
    </search>
  );
}
