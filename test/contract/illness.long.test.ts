// Every family in every state that its simulated device can be in, as an agent sees it: the right cause at the right
// place, and nothing invented. What is expected is in `illness.data.ts`.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Flag } from '../../src/model/flags/flags.ts';
import { kindsOf } from './ability-farm.ts';
import { contracts, familyData } from './contract-files.ts';
import { EXCEPTIONS, type Expected, STATES, type State, USUAL, type Wanted } from './illness.data.ts';
import { examineAll, FAMILIES, familyOf, type Look, modelOf, type Patient } from './illness.ts';

const KINDS = kindsOf(FAMILIES);

let patients: readonly Patient[] = [];
beforeAll(async () => {
  patients = await examineAll();
});

/** Why another thing is expected of it; undefined = it is not. */
const excuseOf = (kind: string, state: State): string | undefined =>
  familyData(familyOf(kind), modelOf(kind)).illness?.[state] ?? familyData(familyOf(kind)).illness?.[state];

const expectedOf = (kind: string, state: State): Expected => EXCEPTIONS[excuseOf(kind, state) ?? ''] ?? USUAL[state];

const lineOf = ({ type, severity, source, message }: Flag) => `${type} ${severity} ${source}: ${message}`;

const isAsWanted =
  ({ type, source = '', message = /./ }: Wanted) =>
  (flag: Flag): boolean =>
    flag.type === type && flag.source.startsWith(source) && message.test(flag.message);

/** Flags of any poll that nothing explains, and what was expected and is not there at the last one. */
function flagFaults({ kind, state, looks }: Patient, expected = expectedOf(kind, state)): string[] {
  const { flags, also = [] } = expected;
  const last = looks.at(-1)?.flags ?? [];
  const types = new Set([...also, ...flags.map(({ type }) => type)]);
  const invented = looks.flatMap((look, nth) =>
    look.flags.filter(({ type }) => !types.has(type)).map((flag) => `poll ${nth}: ${lineOf(flag)}`),
  );
  const missing = flags
    .filter((wanted) => !last.some(isAsWanted(wanted)))
    .map((wanted) => `no ${wanted.type} as expected, but ${last.map(lineOf).join('; ') || 'nothing'}`);
  return [...invented, ...missing];
}

const IDLE: ReadonlySet<State> = new Set(['asleep', 'stopped by heat']);

/** What a machine that does not hash cannot tell of its parts, and what it is not. */
function statements({ state, device }: Patient, { reading, reported }: Look): string[] {
  const { document, extras } = reported;
  const modeTold = extras.mining_mode_reported === false ? undefined : document.mining_mode;
  const boards = reading.boards ?? [];
  const isIdle = IDLE.has(state);
  const deadSlot = state === 'dead board' ? Math.min(1, device.spec.boards - 1) : -1;
  const isHealthy = (slot: number) => boards.some((board) => board.slot === slot && (board.hashrateHs ?? 1) > 0);
  const claims: readonly (readonly [boolean, string])[] = [
    [isIdle && (reading.isMining === true || document.is_mining), 'mines'],
    [isIdle && ((reading.hashrateHs ?? 0) > 0 || (document.hashrate ?? 0) > 0), 'has a rate'],
    [isIdle && boards.some(({ badChips = 0 }) => badChips > 0), 'has bad chips'],
    [isIdle && boards.some(({ isAlive }) => isAlive === false), 'has dead boards'],
    [state === 'asleep' && (modeTold ?? 'sleep') !== 'sleep', `sleeps in mode ${modeTold}`],
    [state !== 'asleep' && modeTold === 'sleep', 'is asleep'],
    [modeTold !== reading.miningMode, `is in mode ${modeTold} instead of ${reading.miningMode}`],
    [!isIdle && document.is_mining !== device.truth().is_mining, `is_mining is ${document.is_mining}`],
    [deadSlot >= 0 && isHealthy(deadSlot), `the dead board ${deadSlot} hashes`],
    [deadSlot > 0 && boards.length > 0 && !isHealthy(0), 'board 0 does not hash'],
  ];
  return claims.filter(([isFalse]) => isFalse).map(([, claim]) => claim);
}

describe.each(KINDS.map(({ family, model }) => `${family} ${model}`))('%s', (kind) => {
  test.each(STATES)('%s', (state) => {
    const patient = patients.find((each) => each.kind === kind && each.state === state);
    // Not every family sleeps.
    if (patient === undefined) return expect(state).toBe('asleep');
    const last = patient.looks.at(-1);
    expect({
      flags: flagFaults(patient),
      statements: last === undefined ? ['never read'] : statements(patient, last),
      untrue: patient.untrue,
    }).toEqual({ flags: [], statements: [], untrue: [] });
  });
});

test('every exception is about a kind and a state that there are, and is one that there is', () => {
  const kinds = new Set(KINDS.flatMap(({ family, model }) => [family, `${family} ${model}`]));
  const rows = [...contracts].flatMap(([id, { families = {} }]) =>
    Object.entries(families).flatMap(([kind, { illness = {} }]) =>
      Object.entries(illness).map(([state, why]) => ({ id, kind, state, why })),
    ),
  );
  const isState = (state: string) => STATES.some((each) => each === state);
  expect(rows.filter(({ kind, state, why }) => !kinds.has(kind) || !isState(state) || !(why in EXCEPTIONS))).toEqual(
    [],
  );
});

test('every exception is needed', () => {
  const cells = patients.filter(({ kind, state }) => excuseOf(kind, state) !== undefined);
  expect(cells.length).toBeGreaterThan(20);
  const idle = cells.filter((patient) => flagFaults(patient, USUAL[patient.state]).length === 0);
  expect(idle.map(({ kind, state }) => `${kind}: ${state}`)).toEqual([]);
});
