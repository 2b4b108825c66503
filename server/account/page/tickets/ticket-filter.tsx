/** Which tickets a list shows: for the staff the queue, their own or all of them; and what a search finds. */
import type { Desk, TicketFilter } from './desk.ts';

interface Props {
  desk: Desk;
  filter: TicketFilter;
  onChange(filter: TicketFilter): void;
}

const views = [
  { label: 'Waiting', view: 'waiting' },
  { label: 'Mine', view: 'mine' },
  { label: 'All', view: 'all' },
] as const;

export const TicketFilterBar = ({ desk, filter, onChange }: Props) => (
  <div class="desk-filter">
    {desk.staff && (
      <fieldset class="segments" aria-label="Which tickets">
        {views.map(({ label, view }) => (
          <button
            key={label}
            type="button"
            aria-pressed={!filter.search && filter.view === view}
            onClick={() => onChange({ view, search: '' })}
          >
            {label}
          </button>
        ))}
      </fieldset>
    )}
    <Search {...{ desk, filter, onChange }} />
  </div>
);

const searches = {
  staff: {
    hint: 'Number, words or e-mail',
    label: "Search by number, words of the subject or a customer's e-mail address",
  },
  customer: { hint: 'Number or words', label: 'Search your tickets by number or words' },
};

function Search({ desk, filter, onChange }: Props) {
  const { hint, label } = searches[desk.side];
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
          dir="auto"
          maxLength={200}
          defaultValue={filter.search}
          placeholder={hint}
          aria-label={label}
        />
        <button type="submit" class="button">
          Search
        </button>
      </form>
    </search>
  );
}
