/** What the servers occupy after all the load they have had. */
import { memoryMegabytes } from './cpu.ts';
import { markdownTable, showWhole } from './table.ts';

const aimMegabytes = 300;

/** @param servers by the names to be shown; the aim is for those of ours */
export function memoryTable(servers: { name: string; pid: number }[]): string {
  const rows = servers.map(({ name, pid }) => {
    const { now, highest } = memoryMegabytes(pid);
    const aim = `${aimMegabytes} ${highest < aimMegabytes ? 'reached' : 'MISSED'}`;
    return [name, showWhole(now), showWhole(highest), name.startsWith('ours') ? aim : ''];
  });
  return markdownTable(['server', 'MB after load', 'at its highest', 'aim'], rows);
}
