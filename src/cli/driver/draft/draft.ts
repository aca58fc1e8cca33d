// A new driver made of a case: what it asks, by what it recognises, what it reads, and the case as its own.

import { caseName } from '../../../agent/capture/recording/case.ts';
import type { CaseFolder } from '../../../case/folder.ts';
import type { Case } from '../../../case/format.ts';
import { loginWallOf } from '../../../case/login-wall.ts';
import { asksOf, type DraftAsk } from './asks.ts';
import { fieldsOf } from './fields.ts';
import { recognitionOf } from './recognition.ts';
import type { Draft, DraftLogin } from './text.ts';

const UNKNOWN = { tcpWord: undefined, title: undefined, realm: undefined, server: undefined, page: undefined };

/** Without a case: a driver for CGMiner's API that recognises nothing until a person says by what. */
export function draftOf(id: string, recorded: CaseFolder | undefined): Draft {
  if (recorded === undefined)
    return {
      ...{
        id,
        make: capital(id.split('-')[0] ?? id),
        models: 'all',
        firmware: 'all',
        asks: [],
        fields: [],
        login: 'none',
        evidence: 'claimed',
      },
      recognition: { ...UNKNOWN, tcpWord: id.toUpperCase() },
    };
  const { about } = recorded;
  const asks = asksOf(recorded);
  const fields = fieldsOf(asks);
  const recognition = recognitionOf(recorded, asks);
  const { tcpWord = id.split('-')[0] ?? id } = recognition;
  return {
    id,
    make: about.make ?? capital(tcpWord),
    models: valueIn(fields, 'model') ?? about.model ?? 'all',
    firmware: valueIn(fields, 'firmwareVersion') ?? about.firmwareVersion ?? 'all',
    evidence: about.isSimulated === true ? 'claimed' : 'recording',
    asks,
    fields,
    recognition,
    login: loginOf(recorded, asks),
  };
}

/** The case as one of the new driver: its requests under the driver's names, and what can be told of it already. */
export function caseOf(draft: Draft, { about }: CaseFolder): Case {
  const { id, asks, fields, make, models, firmware } = draft;
  const nameOf = new Map(asks.map(({ recorded, name, every }) => [recorded, { ask: name, every }]));
  return {
    ...about,
    id: caseName(make, models, firmware),
    firmware: id,
    // Recorded of a driver that does not read it any more.
    known: {},
    responses: about.responses.flatMap((recorded) => {
      const { ask, every: _, ...rest } = recorded;
      const own = nameOf.get(recorded);
      // Nothing is left of the questions of other drivers.
      return own === undefined && ask !== undefined && rest.auth !== 'login' ? [] : [{ ...rest, ...own }];
    }),
    expect: { make, ...expectedOf(asks, fields) },
    read: null,
  };
}

/** Values as the answers have them, by the names that `expect` knows. */
function expectedOf(asks: readonly DraftAsk[], fields: Draft['fields']): Record<string, unknown> {
  const plain = fields.filter(({ field, value }) => value !== undefined && NAMED.has(field));
  const poolRows = asks.find(({ name }) => name === 'pools')?.answer.POOLS;
  const pools = Array.isArray(poolRows)
    ? poolRows.filter((row) => typeof Object(row).URL === 'string' && Object(row).URL !== '')
    : [];
  return {
    ...rateIn(asks.find(({ name }) => name === 'summary')?.answer.SUMMARY),
    ...Object.fromEntries(plain.map(({ field, value }) => [field, value])),
    ...(pools.length > 0 && { poolCount: pools.length }),
  };
}

const NAMED: ReadonlySet<string> = new Set(['model', 'firmwareVersion', 'uptimeS', 'hostname', 'serialNumber']);
const UNITS = [
  ['MHS', 1e6],
  ['GHS', 1e9],
  ['THS', 1e12],
  ['KHS', 1e3],
] as const;

/** The shortest window, as `hashrates` of the kit takes it. */
function rateIn(list: unknown): { hashrateHs?: number } {
  const row = Object(Array.isArray(list) ? list[0] : undefined);
  for (const window of ['5s', '1m', '5m', 'av'])
    for (const [unit, hs] of UNITS) {
      const written = row[`${unit} ${window}`];
      const value = typeof written === 'string' ? Number(written.replaceAll(',', '')) : written;
      if (typeof value === 'number' && Number.isFinite(value)) return { hashrateHs: value * hs };
    }
  return {};
}

function loginOf({ about, bytesOf }: CaseFolder, asks: readonly DraftAsk[]): DraftLogin {
  const isBehind = (auth: string) => asks.some(({ recorded }) => recorded.auth === auth);
  if (isBehind('digest')) return 'digest';
  if (isBehind('carried')) return 'basic';
  if (isBehind('session')) return 'page';
  const wall = loginWallOf(about.responses, (file) => bytesOf(file).toString('latin1'));
  return asks.length === 0 && wall === 'page' ? 'page' : 'none';
}

const valueIn = (fields: Draft['fields'], name: string): string | undefined => {
  const value = fields.find(({ field }) => field === name)?.value;
  return typeof value === 'string' ? value : undefined;
};

const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`;
