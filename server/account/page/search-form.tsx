/** A field to search a list by what the service finds. */

interface Props {
  /** In the empty field. */
  hint: string;
  label: string;
  value: string;
  onSearch(text: string): void;
}

export function SearchForm({ hint, label, value, onSearch }: Props) {
  const search = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    onSearch(String(new FormData(event.currentTarget).get('search')).trim());
  };
  return (
    <search>
      <form onSubmit={search}>
        <input
          key={value}
          class="input"
          type="search"
          name="search"
          dir="auto"
          maxLength={200}
          defaultValue={value}
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
