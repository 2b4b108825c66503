/** A Wings node, which also checks its panel's address, and can misbehave on request. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type ConsoleMessage, ConsoleNode, type Session } from '../../../server/panel/demo/console-node.ts';

/** May handle a message in place of the node; returns whether it did. */
export type Intercept = (socket: WebSocket, event: string) => boolean;

interface NodeBehaviour {
  /** The panel's address in the node's configuration. */
  origin(): string;
  intercept: Intercept;
}

export class EmulatedNode extends ConsoleNode {
  readonly #behaviour: NodeBehaviour;

  constructor(find: ConstructorParameters<typeof ConsoleNode>[1], behaviour: NodeBehaviour) {
    super(Date.now, find);
    this.#behaviour = behaviour;
  }

  override accept(req: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (req.headers.origin === this.#behaviour.origin()) super.accept(req, stream, head);
    else stream.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
  }

  protected override answer(session: Session, message: ConsoleMessage): void {
    if (!this.#behaviour.intercept(session.socket, message.event)) super.answer(session, message);
  }
}
