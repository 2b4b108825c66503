/** The figures of a run: each fault leaves a row, and the rows are printed where the run requires this file. */

/** By their labels. */
export type Figures = Record<string, string | number>;

const rows: string[] = [];

export function record(fault: string, figures: Figures): void {
  const described = Object.entries(figures).map(([label, value]) => `${label} ${value}`);
  rows.push(`${fault}\n  ${described.join(', ')}`);
}

/** How often each status came; 0: no answer. */
export const describeCounts = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([status, count]) => `${count} x ${status === '0' ? 'no answer' : status}`)
    .join(' ');

export const mochaHooks = {
  afterAll() {
    process.stdout.write(`\n${rows.join('\n')}\n\nFaults survived: ${rows.length}\n`);
  },
};
