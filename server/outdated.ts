/** What a start says about a Node.js or a MongoDB that lacks security fixes. */

/** Major versions whose releases have ended; later ones are not judged. */
const endedNodes = ['20', '21', '23', '25'];

/** @param version as in `process.version`; null where there is nothing to say */
export function describeOutdatedNode(version: string): string | null {
  const [, major = ''] = /^v(\d+)\./.exec(version) ?? [];
  if (!endedNodes.includes(major)) return null;
  return `Node.js ${major} gets no security fixes any more: run the service with Node.js 22, 24 or 26`;
}

const vulnerability = 'CVE-2026-118383';

/** The first release of a line with the fix; lines after the last one began with it. */
const fixedPatches = new Map([
  ['8.0', 37],
  ['8.3', 16],
]);
const lastFixedLine = [8, 3];

/** @param version as in MongoDB's `buildInfo`; null where there is nothing to say */
export function describeOutdatedMongodb(version: string): string | null {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const line = `${major}.${minor}`;
  const fixed = fixedPatches.get(line);
  if (fixed === undefined ? isAfter([major, minor], lastFixedLine) : patch >= fixed) return null;
  const advice =
    fixed === undefined
      ? `no release of MongoDB ${line} is known to have the fix, ${fixedReleases()} have it`
      : `update it to ${line}.${fixed} or newer`;
  return `MongoDB ${version} is open to ${vulnerability}: ${advice}`;
}

const isAfter = ([major = 0, minor = 0]: number[], [lastMajor = 0, lastMinor = 0]: number[]) =>
  major > lastMajor || (major === lastMajor && minor > lastMinor);

const fixedReleases = () => [...fixedPatches].map(([line, patch]) => `${line}.${patch}`).join(' and ');
