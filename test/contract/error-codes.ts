// The tables of error codes in the handbook, made from the table in the source. It writes nothing: see write-error-codes.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ErrorEntry,
  HTTP_STATUSES,
  PEER_ERRORS,
  REFUSALS,
  SKIP_REASONS,
} from '../../src/base/error-codes.data.ts';
import { withTable } from './drivers-table.ts';

const PATH = 'packaging/handbook/interface.md';
const FILE = join(import.meta.dirname, '..', '..', PATH);
const MARKERS = ['<!-- errors:begin -->', '<!-- errors:end -->'];

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const codes = (entries: readonly (readonly [string, ErrorEntry])[]) =>
  table(
    ['code', 'meaning', 'what to do'],
    entries.map(([code, { text, advice }]) => [`\`${code}\``, text, advice]),
  );

function errorTables(): string {
  const refusals: readonly (readonly [string, ErrorEntry])[] = Object.entries(REFUSALS);
  const statuses = Object.entries(HTTP_STATUSES).filter(([status]) => Number(status) >= 400);
  return [
    'HTTP statuses of error answers:',
    table(
      ['status', 'meaning'],
      statuses.map(([status, { meaning }]) => [status, meaning]),
    ),
    'Refusals of requests:',
    table(
      ['status', 'code', 'message', 'what to do'],
      refusals.flatMap(([code, { status, text, advice }]) =>
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

const current = () => readFileSync(FILE, 'utf8');
const wanted = () => withTable(current(), errorTables(), PATH, MARKERS);

export const areErrorTablesCurrent = (): boolean => current() === wanted();
export const writeErrorTables = (): void => writeFileSync(FILE, wanted());
