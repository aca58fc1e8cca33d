// Hashboards: missing, dead, short of chips, or producing hardware errors. An absent list is silence, not absence of
// boards.
import type { BoardReading, Reading } from '../../../../model/reading.ts';
import { type Facts, type Rule, shortOf, type Verdict } from '../rule.ts';
import type { Violation } from '../state.ts';
import { lacksPool } from './pool.ts';

function missing({ reading, expected }: Facts): Verdict {
  const boards = reading?.boards;
  if (boards === undefined || expected.boards === undefined) return 'no-data';
  // An empty list beside a hashrate is a missing list. And some devices list no boards while they have no work.
  if (boards.length === 0 && (reading?.hashrateHs !== 0 || lacksPool(reading))) return 'no-data';
  if (boards.length >= expected.boards.value) return 'clear';
  return shortOf(expected.boards, boards.length, {
    value: boards.length,
    limit: expected.boards.value,
    source: 'boards',
    severity: 'critical',
    message: `${missingSlots(boards, expected.boards.value)}${boards.length} of ${expected.boards.value} hashboards are there`,
  });
}

/** The empty slots, if the device numbers its slots as the model does. */
function missingSlots(boards: readonly BoardReading[], wanted: number): string {
  const there = new Set(boards.map(({ slot }) => slot));
  if (boards.length === 0 || there.size < boards.length || boards.some(({ slot }) => slot >= wanted)) return '';
  const empty = Array.from({ length: wanted }, (_, slot) => slot).filter((slot) => !there.has(slot));
  return empty.length === 1 ? `hashboard ${empty[0]} is missing: ` : `hashboards ${empty.join(', ')} are missing: `;
}

function dead({ reading, isHashing }: Facts): Verdict {
  const boards = reading?.boards ?? [];
  const judged = boards.filter((board) => board.isAlive !== undefined || (isHashing && board.hashrateHs !== undefined));
  if (judged.length === 0) return 'no-data';
  const reported = boards.filter((board) => board.isAlive === false);
  const at0 = boards.filter((board) => isHashing && board.hashrateHs === 0 && board.isAlive !== false);
  // The miner hashes and none of its boards does: one of the two values is old.
  const still = at0.length + reported.length < boards.length ? at0 : [];
  const [first = still[0]] = reported;
  if (first === undefined) return at0.length > 0 ? 'no-data' : 'clear';
  const index = boards.indexOf(first);
  const isSaid = first.isAlive === false;
  const messages = [
    ...(reported.length === 0 ? [] : [`${named(reported)} ${reported.length === 1 ? 'is' : 'are'} reported dead`]),
    ...(still.length === 0
      ? []
      : [`${named(still)} ${still.length === 1 ? 'does' : 'do'} not hash while the others do`]),
  ];
  return {
    value: isSaid ? 'dead' : 0,
    limit: isSaid ? 'alive' : 1,
    source: isSaid ? `boards[${index}].isAlive` : `boards[${index}].hashrateHs`,
    severity: 'critical',
    message: messages.join('; '),
  };
}

const named = (boards: readonly BoardReading[]): string =>
  `${boards.length === 1 ? 'hashboard' : 'hashboards'} ${boards.map(({ slot }) => slot).join(', ')}`;

function chips({ reading, expected }: Facts): Verdict {
  const known = (reading?.boards ?? []).flatMap((board, index) =>
    board.chips === undefined ? [] : { index, slot: board.slot, chips: board.chips },
  );
  if (known.length === 0) return 'no-data';
  const perBoard = expected.chipsPerBoard?.value;
  if (perBoard !== undefined) {
    const worst = known.reduce((a, b) => (b.chips < a.chips ? b : a));
    if (worst.chips >= perBoard || isOtherBuild(reading, known, perBoard)) return 'clear';
    const found = tooFew(worst.chips, perBoard, `boards[${worst.index}].chips`, `hashboard ${worst.slot}`);
    const others = known.filter((board) => board.chips < perBoard).length - 1;
    const message = others === 0 ? found.message : `${found.message} (and ${others} more of its boards have too few)`;
    return shortOf(expected.chipsPerBoard, worst.chips, { ...found, message });
  }
  const none = known.find((board) => board.chips === 0);
  if (none !== undefined) return tooFew(0, 1, `boards[${none.index}].chips`, `hashboard ${none.slot}`);
  // A total is only comparable while the same boards are there; missing boards have their own rule.
  const isComparable = expected.chips !== undefined && known.length >= (expected.boards?.value ?? known.length);
  if (!isComparable || expected.chips === undefined) return 'clear';
  const total = known.reduce((sum, board) => sum + board.chips, 0);
  return total >= expected.chips.value ? 'clear' : tooFew(total, expected.chips.value, 'boards.chips', 'the miner');
}

/** Boards do not lose equal numbers of chips: several equal boards are of a build that the table does not know. */
function isOtherBuild(reading: Reading | undefined, known: readonly { chips: number }[], perBoard: number): boolean {
  const [first, ...others] = known;
  if (first === undefined || others.length === 0 || known.length < (reading?.boards?.length ?? 0)) return false;
  const isAlike = others.every(({ chips }) => chips === first.chips) && 2 * first.chips >= perBoard;
  return isAlike && reading?.expected?.own?.includes('chipsPerBoard') !== true;
}

function tooFew(value: number, limit: number, source: string, where: string): Violation {
  const severity = value >= limit * 0.9 ? 'minor' : 'major';
  return { value, limit, source, severity, message: `${where} has ${value} of ${limit} chips` };
}

function badChips({ reading }: Facts): Verdict {
  const boards = reading?.boards ?? [];
  if (boards.every((board) => board.badChips === undefined)) return 'no-data';
  const index = boards.findIndex((board) => (board.badChips ?? 0) > 0);
  const board = boards[index];
  if (board?.badChips === undefined) return 'clear';
  return {
    value: board.badChips,
    limit: 0,
    source: `boards[${index}].badChips`,
    severity: 'minor',
    message: `hashboard ${board.slot} counts ${board.badChips} bad chips`,
  };
}

function hardwareErrors({ reading, history, settings }: Facts, isRaised: boolean): Verdict {
  const percent = history.hwErrors?.percent;
  if (reading === undefined || percent === undefined) return 'no-data';
  const { hwErrorPercent, hwErrorMajorPercent } = settings.hashboard;
  const limit = isRaised ? hwErrorPercent * 0.8 : hwErrorPercent;
  if (percent <= limit) return 'clear';
  return {
    value: rounded(percent),
    limit: hwErrorPercent,
    source: 'boards.hwErrors',
    severity: percent > hwErrorMajorPercent ? 'major' : 'minor',
    message: `${rounded(percent)} % hardware errors in the last window`,
  };
}

const rounded = (percent: number): number => Math.round(percent * 100) / 100;

export const HASHBOARD_RULES: readonly Rule[] = [
  { id: 'hashboard.missing', type: 'hashboard', evaluate: missing },
  { id: 'hashboard.dead', type: 'hashboard', evaluate: dead },
  { id: 'hashboard.chips', type: 'hashboard', evaluate: chips },
  { id: 'hashboard.bad-chips', type: 'hashboard', evaluate: badChips },
  { id: 'hashboard.hw-errors', type: 'hashboard', evaluate: hardwareErrors },
];
