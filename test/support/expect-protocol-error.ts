/** Asserts that an answer of /mcp is one error of the protocol's own: HTTP status, JSON-RPC code and id. */
import { expect } from 'chai';
import type { Answer } from './service.ts';

interface ProtocolError {
  status: number;
  code: number;
  id?: unknown;
}

export function expectProtocolError({ status, body }: Answer, { id = 1, ...expected }: ProtocolError): void {
  expect([status, body.error.code, body.id]).to.deep.equal([expected.status, expected.code, id]);
  expect(body.error.message).to.be.a('string').with.length.above(8);
}
