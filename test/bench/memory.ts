/** What the servers occupy after all the load they have had. */
import type { Bench } from './bench.ts';
import { memoryMegabytes } from './cpu.ts';
import { markdownTable, showWhole } from './table.ts';

const aimMegabytes = 300;

export async function memoryTable({ servers }: Bench): Promise<string> {
  const rows = (await servers.list()).map(({ name, pid }) => {
    const { now, highest } = memoryMegabytes(pid);
    const aim = name === 'ours' ? `${aimMegabytes} ${highest < aimMegabytes ? 'reached' : 'MISSED'}` : '';
    return [name, showWhole(now), showWhole(highest), aim];
  });
  return markdownTable(['server', 'MB after load', 'at its highest', 'aim'], rows);
}
