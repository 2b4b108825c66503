/** Asserts that an answer is one error of the contract, whole: status, code, message and nothing more. */
import { expect } from 'chai';
import { type ErrorCode, errorTable } from '../../routers/errors.ts';

interface ErrorLike {
  status: number;
  headers: Headers;
  body: unknown;
}

export function expectError(answer: ErrorLike, code: ErrorCode, message: string): void {
  expect(answer.body).to.deep.equal({ error: { code, message } });
  expect(answer.status).to.equal(errorTable[code].status);
  expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8');
  expect(answer.headers.get('X-Request-Id')).to.match(/^[\w.:-]{1,128}$/);
}
