/** Asserts that an answer is exactly one error of the contract: status, code, message and nothing else. */
import { expect } from 'chai';
import { type ErrorCode, errorTable } from '../../routers/errors.ts';
import type { Answer } from './service.ts';

interface ErrorLike {
  status: number;
  headers: Headers;
  body: unknown;
}

/** The same for an entirely refused request to /mcp, whose body is JSON-RPC. */
export function expectMcpError(answer: ErrorLike, code: ErrorCode, message: string): void {
  const error = { code: -32_000, message, data: { code } };
  expect(answer.body).to.deep.equal({ jsonrpc: '2.0', id: null, error });
  expectErrorHeaders(answer, code);
}

export function expectError(answer: ErrorLike, code: ErrorCode, message: string): void {
  expect(answer.body).to.deep.equal({ error: { code, message } });
  expectErrorHeaders(answer, code);
}

function expectErrorHeaders(answer: ErrorLike, code: ErrorCode): void {
  expect(answer.status).to.equal(errorTable[code].status);
  expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
  expect(answer.headers.get('X-Request-Id')).to.match(/^[\w.:-]{1,128}$/);
}

interface ProtocolError {
  status: number;
  code: number;
  id?: unknown;
}

/** The same for one error of MCP itself: HTTP status, JSON-RPC code and id. */
export function expectProtocolError({ status, body }: Answer, { id = 1, ...expected }: ProtocolError): void {
  expect([status, body.error.code, body.id]).to.deep.equal([expected.status, expected.code, id]);
  expect(body.error.message).to.be.a('string').with.length.above(8);
}
