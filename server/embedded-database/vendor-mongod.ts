/** Downloads mongod from its vendor with mongodb-memory-server, and verifies the archive. */
import { readFile } from 'node:fs/promises';
import { DryMongoBinary, MongoBinary } from 'mongodb-memory-server-core';
import { MongoBinaryDownload } from 'mongodb-memory-server-core/lib/util/MongoBinaryDownload.js';
import { cacheProgram, findCached, verifySha256 } from './program-cache.ts';

const fileName = () => `mongod-${DryMongoBinary.getEnsuredOptions().version}`;

export const findVendorMongod = (cacheDir: string) => findCached(cacheDir, fileName());

export function downloadMongod(cacheDir: string): Promise<string> {
  class Binary extends MongoBinary {
    static override download(options: ConstructorParameters<typeof MongoBinaryDownload>[0]) {
      return cacheProgram(cacheDir, fileName(), (downloadDir) =>
        new VerifiedDownload({ ...options, downloadDir }).getMongodPath(),
      );
    }
  }
  return Binary.getPath();
}

class VerifiedDownload extends MongoBinaryDownload {
  /** The package accepts every certificate, unless npm runs it with strict-ssl. */
  override httpDownload(...[url, options, ...rest]: Parameters<MongoBinaryDownload['httpDownload']>) {
    return super.httpDownload(url, { ...options, rejectUnauthorized: true }, ...rest);
  }

  /** Prints progress only for the archive: the checksum arrives at once. */
  override printDownloadProgress(chunk: { length: number }, forcePrint?: boolean): void {
    if (this.dlProgress.length > 1_000_000) super.printDownloadProgress(chunk, forcePrint);
    else this.dlProgress.current += chunk.length;
  }

  /** Checks SHA-256, not MD5 as the package does: an attacker can create another file with the same MD5. */
  override async makeMD5check(md5Url: string, archive: string): Promise<true> {
    const file = await this.download(md5Url.replace(/\.md5$/, '.sha256'));
    const [sha256] = (await readFile(file, 'utf8')).trim().split(/\s/);
    await verifySha256(archive, sha256);
    return true;
  }
}
