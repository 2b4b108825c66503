/** In which protocols the addresses of a server are asked, and in which order. */
import type { Target } from './protocol.ts';

export type Protocol = 'source' | 'sourceAtNextPort' | 'bedrock' | 'minecraft';

/** How an address is asked. */
export interface Way {
  protocol: Protocol;
  target: Target;
}

/** Ways that are asked at once. */
export interface Group {
  ways: Way[];
  /** How long they are asked before the next group is asked too, in milliseconds, where none of them has failed or answered. */
  aloneMs: number;
}

interface Hints {
  /** What answered the last time. */
  known: Way | null;
  suggestsMinecraft: boolean;
}

const aloneMs = 500;
/** Games answer within this time from most places. */
const aloneMsOfSuggested = 300;

/**
 * What answered the last time is asked first, then the default address, then the others. A game of Source bans whoever sends a
 * handshake of Minecraft to its remote console, so that Minecraft comes after the others at an address, or not at all where one
 * of them has answered before.
 */
export function planLook(targets: readonly Target[], { known, suggestsMinecraft }: Hints): Group[] {
  const defaults = targets.filter(({ allocation }) => allocation.isDefault);
  const others = targets.filter(({ allocation }) => !allocation.isDefault);
  const first = waysTo(defaults, ['source', 'bedrock']);
  const next = [...waysTo(defaults, ['sourceAtNextPort']), ...waysTo(others, ['source', 'bedrock'])];
  const [minecraft, otherMinecraft] = [waysTo(defaults, ['minecraft']), waysTo(others, ['minecraft'])];
  const isSuggested = known ? known.protocol === 'minecraft' : suggestsMinecraft;
  const isPossible = isSuggested || suggestsMinecraft || known === null;
  const rest = isSuggested
    ? [
        { ways: first, aloneMs: aloneMsOfSuggested },
        { ways: minecraft, aloneMs: aloneMs - aloneMsOfSuggested },
        { ways: next, aloneMs: aloneMsOfSuggested },
        { ways: otherMinecraft, aloneMs },
      ]
    : [
        { ways: first, aloneMs },
        { ways: next, aloneMs },
        { ways: isPossible ? [...minecraft, ...otherMinecraft] : [], aloneMs },
      ];
  const groups = rest.map((group) => ({ ...group, ways: group.ways.filter((way) => !isSame(way, known)) }));
  return [{ ways: known ? [known] : [], aloneMs }, ...groups].filter(({ ways }) => ways.length > 0);
}

const waysTo = (targets: readonly Target[], protocols: readonly Protocol[]): Way[] =>
  targets.flatMap((target) => protocols.map((protocol) => ({ protocol, target })));

const isSame = ({ protocol, target }: Way, known: Way | null) =>
  protocol === known?.protocol && target.ip === known.target.ip && target.port === known.target.port;
