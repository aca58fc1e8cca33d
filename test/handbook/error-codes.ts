// The tables of error codes of `interface.md`, made from the table in the source.
import {
  DATABASE_ERRORS,
  type ErrorEntry,
  HTTP_STATUSES,
  PEER_ERRORS,
  REFUSALS,
  SKIP_REASONS,
} from '../../src/base/error-codes.data.ts';
import { table } from './table.ts';

const codes = (entries: readonly (readonly [string, ErrorEntry])[]) =>
  table(
    ['code', 'meaning', 'what to do'],
    entries.map(([code, { text, advice }]) => [`\`${code}\``, text, advice]),
  );

export function errorTables(): string {
  const refusals: readonly (readonly [string, ErrorEntry])[] = Object.entries(REFUSALS);
  const databaseErrors: readonly (readonly [string, ErrorEntry])[] = Object.entries(DATABASE_ERRORS);
  const statuses = Object.entries(HTTP_STATUSES).filter(([status]) => Number(status) >= 400);
  return [
    'HTTP statuses of error answers:',
    table(
      ['status', 'meaning'],
      statuses.map(([status, { meaning }]) => [status, meaning]),
    ),
    'Refusals of requests, and a database that takes no work:',
    table(
      ['status', 'code', 'message', 'what to do'],
      [...refusals, ...databaseErrors].flatMap(([code, { status, text, advice }]) =>
        status === undefined ? [] : [[String(status), `\`${code}\``, text, advice]],
      ),
    ),
    'Why a task is not created for a miner or an agent (`reason` of what is skipped):',
    codes(Object.entries(SKIP_REASONS)),
    'What can go wrong between the agent and a miner, or between the agent and the service:',
    codes(Object.entries(PEER_ERRORS)),
    'What the program refuses to do, in logs, in messages of tasks and on the command line:',
    codes(refusals.filter(([, { status }]) => status === undefined)),
  ].join('\n\n');
}
