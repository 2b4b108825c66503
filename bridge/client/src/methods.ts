/** The types of the methods that the build generates from the description, one for each operation. */
import type { Pagination } from './operations.ts';
import type { CallOptions } from './send.ts';

/** The parameters and the body of an operation as the generator of types writes them. */
interface Data {
  path?: unknown;
  query?: unknown;
  headers?: unknown;
  body?: unknown;
}

type Fields<Part> = [Exclude<Part, undefined>] extends [never] ? unknown : Exclude<Part, undefined>;

type HeaderFields<Part> = 'If-Match' extends keyof Exclude<Part, undefined> ? { if_match?: string } : unknown;

/** Shows the fields of an intersection side by side; distributes over the alternatives of a body. */
type Flat<Type> = Type extends unknown ? { [Field in keyof Type]: Type[Field] } : never;

/** One object with the fields of the path, the query and the body. */
export type InputOf<Given extends Data> = Flat<
  Fields<Given['path']> & Fields<Given['query']> & Fields<Given['body']> & HeaderFields<Given['headers']>
>;

/** An operation without fields refuses any; one whose fields are all optional needs no input. */
export type Arguments<Input> = [keyof Input] extends [never]
  ? [input?: Record<string, never>, options?: CallOptions]
  : Record<never, never> extends Input
    ? [input?: Input, options?: CallOptions]
    : [input: Input, options?: CallOptions];

export type Method<Given extends Data, Output> = (...call: Arguments<InputOf<Given>>) => Promise<Output>;

/** A method that reads a list page by page; give it to `paginate`. */
export interface PagedMethod<Given extends Data, Output, List extends keyof Output>
  extends Paged<InputOf<Given>, ItemOf<Output[List]>> {
  (...call: Arguments<InputOf<Given>>): Promise<Output>;
}

type ItemOf<List> = List extends (infer Item)[] ? Item : never;

declare const item: unique symbol;

/** The part of a method that `paginate` needs. */
export interface Paged<Input, Item> {
  readonly pagination: Pagination;
  /** Only for the compiler. */
  readonly [item]?: [Input, Item];
}
