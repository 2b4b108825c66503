/** What an agent may do by itself with an operation, as `x-agentic-access`: read from the hints of its tool and its text. */
import type { Operation } from '../operations.ts';

type Described = Pick<Operation, 'type' | 'method' | 'tool' | 'openapi'>;

/**
 * A read changes nothing. A destructive write reaches what runs or is stored: where its text says that it cannot be undone, a
 * person decides each time; where something undoes it, where the agent has a doubt.
 */
export function describeAgenticAccess(operation: Described) {
  const isWrite = operation.type === 'mutation';
  const consequence = isWrite ? consequenceOf(operation) : 'read';
  return {
    'action-class': isWrite ? 'acting' : 'connected',
    consequence,
    escalation: { 'human-in-the-loop': humans[consequence] },
  };
}

const humans = { read: 'none', write: 'none', physical: 'conditional', 'safety-critical': 'required' };

function consequenceOf({ method, tool, openapi }: Described): 'write' | 'physical' | 'safety-critical' {
  const isDestructive = tool?.destructive ?? method === 'DELETE';
  if (!isDestructive) return 'write';
  return openapi.description.includes('cannot be undone') ? 'safety-critical' : 'physical';
}
