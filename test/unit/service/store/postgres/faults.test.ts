// Which errors of PostgreSQL and its driver mean that the database takes no work now.
import pg from 'pg';
import { expect, test } from 'vitest';
import { BugError, DatabaseError, RefusedError } from '../../../../../src/base/errors.ts';
import { isAnswer, isAway, translated } from '../../../../../src/service/store/postgres/faults.ts';

const said = (code: string) => Object.assign(new pg.DatabaseError('what the server says', 0, 'error'), { code });
class SocketError extends Error {
  readonly syscall = 'connect';
}

test.each([
  ...['08006', '53300', '57P01', '57P03', '57014', '55P03', '25P03', '28P01', '3D000', '58030'].map(said),
  new SocketError('connect ECONNREFUSED'),
  new AggregateError([new SocketError('connect ECONNREFUSED')]),
  new Error('timeout exceeded when trying to connect'),
  new Error('Connection terminated unexpectedly'),
])('%s: the database is away', (error) => {
  expect(isAway(error)).toBe(true);
  expect(translated(error)).toMatchObject({ code: 'database.away', cause: error });
});

test.each([
  ...['23505', '42P01', '22P02', '40001', '40P01'].map(said),
  new RefusedError('request.conflict'),
  new BugError('bind a symbol to a statement'),
  new TypeError('undefined is not a function'),
  'no error',
])('%s stays what it is', (error) => {
  expect(isAway(error)).toBe(false);
  expect(translated(error)).toBe(error);
});

test('a database that became a standby is away for writers, a reader that writes is a bug', () => {
  expect(isAway(said('25006'))).toBe(true);
  expect(isAway(said('25006'), { mayWrite: false })).toBe(false);
});

test('an error that was translated is not translated again', () => {
  const error = new DatabaseError('database.newer');
  expect(translated(error)).toBe(error);
});

test('a server that refuses one connection answers; one that starts or stops does not', () => {
  expect(isAnswer(said('53300'))).toBe(true);
  expect(isAnswer(said('57P03'))).toBe(false);
  expect(isAnswer(new SocketError('connect ECONNREFUSED'))).toBe(false);
});
