/** Reports the progress of a download that reports none itself, by the size of its largest file. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Reports whole megabytes once a second while they grow; call the result to stop. */
export function watchDownload(dir: string, report: (megabytes: number) => void): () => void {
  let reported = 0;
  const timer = setInterval(async () => {
    const megabytes = Math.floor((await largestFileBytes(dir)) / 1_000_000);
    if (megabytes > reported) report(megabytes);
    reported = Math.max(reported, megabytes);
  }, 1000);
  return () => clearInterval(timer);
}

async function largestFileBytes(dir: string): Promise<number> {
  const names = await readdir(dir, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(names.map((name) => fileBytes(join(dir, name))));
  return Math.max(0, ...sizes);
}

/** Temporary files may disappear meanwhile. */
async function fileBytes(path: string): Promise<number> {
  return stat(path).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  );
}
