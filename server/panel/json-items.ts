/** Reads the items of a long JSON list one by one as it arrives: `{"data": [{...}, ...]}`, of which only one item is held. */
import { z } from 'zod';
import { PanelFailure } from './failures.ts';

const quote = 0x22;
const backslash = 0x5c;
const brace = 0x7b;
const bracket = 0x5b;
/** A closing brace or bracket has the code of the opening one, and two. */
const closingOffset = 2;
const comma = 0x2c;
const space = 0x20;

/** An item is an object in an array of the outermost object. */
const itemDepth = 2;
/** Of one item: ten times what the longest name of a file takes with each character escaped. */
const itemBytesMax = 16 * 1024;
/** What is around the items when they are taken out. */
const List = z.object({ data: z.array(z.unknown()).length(0) });
const listBytesMax = 16 * 1024;

export class JsonItems {
  readonly #onItem: (item: unknown) => void;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isInItem = false;
  /** What came of the present item in earlier chunks. */
  #begun: Buffer = Buffer.alloc(0);
  /** What came that belongs to no item. */
  readonly #list: number[] = [];
  #isAfterItem = false;

  constructor(onItem: (item: unknown) => void) {
    this.#onItem = onItem;
  }

  /** @throws {PanelFailure} `malformed` for an item that is no JSON or too long */
  push(chunk: Buffer): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      const wasInItem = this.#isInItem;
      if (this.#isInString) this.#readInString(byte);
      else if (byte === quote) this.#isInString = true;
      else if (byte === brace || byte === bracket) {
        if (this.#open(byte)) start = at;
      } else if (byte === brace + closingOffset || byte === bracket + closingOffset) {
        if (this.#close()) this.#end(chunk.subarray(start, at + 1));
      }
      if (!wasInItem && !this.#isInItem) this.#keepOfList(byte);
    }
    if (this.#isInItem) this.#keep(chunk.subarray(start));
  }

  /** @throws {PanelFailure} where it was no list of objects, or broke off */
  end(): void {
    const list = Buffer.from(this.#list).toString();
    if (!List.safeParse(parse(list, 'the list is no JSON, or breaks off')).success)
      throw malformed('it is no list of objects');
  }

  #readInString(byte: number) {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInString = false;
  }

  /** Whether an item begins here. */
  #open(byte: number): boolean {
    this.#depth += 1;
    if (this.#depth !== itemDepth + 1 || byte !== brace) return false;
    this.#isInItem = true;
    return true;
  }

  /** Whether an item ends here. */
  #close(): boolean {
    this.#depth -= 1;
    return this.#isInItem && this.#depth === itemDepth;
  }

  #keep(part: Buffer) {
    // A copy: what is kept of a chunk must not keep the whole of it.
    this.#begun = Buffer.concat([this.#begun, part]);
    if (this.#begun.length > itemBytesMax) throw malformed('an item of the list is too long');
  }

  #end(part: Buffer) {
    const item = this.#begun.length > 0 ? Buffer.concat([this.#begun, part]) : part;
    this.#begun = Buffer.alloc(0);
    this.#isInItem = false;
    this.#isAfterItem = true;
    this.#onItem(parse(item.toString(), 'an item of the list is no JSON'));
  }

  #keepOfList(byte: number) {
    const isBetween = byte <= space || (byte === comma && this.#isAfterItem);
    if (byte > space) this.#isAfterItem = false;
    if (isBetween) return;
    this.#list.push(byte);
    if (this.#list.length > listBytesMax) throw malformed('there is too much around the items of the list');
  }
}

function parse(text: string, reason: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(reason);
  }
}

const malformed = (reason: string) => new PanelFailure('malformed', { reason });
