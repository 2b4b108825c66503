/** Finds releases that lack security fixes. A test checks the versions that we ship; `check` and each start check those in use. */

interface Product {
  /** How many numbers of a version identify its release line: one for Node.js 24, two for MongoDB 8.0. */
  lineLength: 1 | 2;
  /** The first release of each line that has all known fixes. Lines newer than these have them from their start. */
  fixed: Record<string, string>;
}

const products = {
  'Node.js': { lineLength: 1, fixed: { 22: '22.23.5', 24: '24.22.3', 26: '26.13.1' } },
  MongoDB: { lineLength: 2, fixed: { '8.0': '8.0.37', '8.3': '8.3.16' } },
  Redis: { lineLength: 2, fixed: { '8.8': '8.8.3' } },
  nginx: { lineLength: 2, fixed: { '1.30': '1.30.7' } },
} satisfies Record<string, Product>;

export function describeOutdated(name: keyof typeof products, version: string): string | null {
  const { lineLength, fixed }: Product = products[name];
  const numbers = numbersOf(version);
  const line = numbers.slice(0, lineLength).join('.');
  const first = fixed[line];
  if (first !== undefined)
    return isBefore(numbers, numbersOf(first))
      ? `${name} ${numbers.join('.')} lacks security fixes: update it to ${first} or newer`
      : null;
  const releases = Object.values(fixed);
  if (!isBefore(numbers, numbersOf(releases.at(-1) ?? ''))) return null;
  return `${name} ${line} is not known to get security fixes: use ${releases.join(', ')}, or a newer release of these lines`;
}

const numbersOf = (version: string) =>
  (/\d+(\.\d+)*/.exec(version)?.[0] ?? '').split('.').map((part) => Number.parseInt(part, 10));

function isBefore(numbers: number[], others: number[]): boolean {
  const at = others.findIndex((other, index) => (numbers[index] ?? 0) !== other);
  return at >= 0 && (numbers[at] ?? 0) < (others[at] ?? 0);
}
