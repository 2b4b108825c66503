/** Plans a query: which protocols to try at which addresses of a server, in which order. */
import type { Target } from './protocol.ts';

export type Protocol = 'source' | 'sourceAtNextPort' | 'bedrock' | 'minecraft';

export interface Way {
  protocol: Protocol;
  target: Target;
}

export interface Group {
  ways: Way[];
  /** Milliseconds until the next group is tried too. If all ways of this group fail, the next group is tried at once. */
  aloneMs: number;
}

interface Hints {
  known: Way | null;
  suggestsMinecraft: boolean;
}

const aloneMs = 500;
/** Most games answer within this time. */
const aloneMsOfSuggested = 300;

/**
 * The way that answered last comes first, then the default address, then the others. Source games ban anyone who sends a
 * Minecraft handshake to their remote console. Minecraft is therefore tried after the other protocols, and never if one of
 * them has answered before, unless the container suggests Minecraft.
 */
export function planQueries(targets: readonly Target[], { known, suggestsMinecraft }: Hints): Group[] {
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
