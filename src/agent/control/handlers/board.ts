// The board of the running agent: a row of each miner that it polls, from what it knows itself. What only a service
// keeps is null in it, and a selector that needs that is refused.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import { type ClockLook, lookAtClocks, wallTimeOf } from '../../../base/time/clock-steps.ts';
import { boardRow, reportedRow } from '../../../model/board/board-row.ts';
import { BoardRows } from '../../../model/board/board-rows.ts';
import { toMinerDocument } from '../../../model/document.ts';
import type { SelectableMiner } from '../../../model/selector/selector.ts';
import { taskNamesOf } from '../../../model/task.ts';
import { answerBoard, type BoardRequest } from '../../../wire/api/board/answer.ts';
import { type BoardMessage, LACKS } from '../../../wire/api/board/messages.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { MinerRegistry } from '../../fleet/identity/miner-registry.ts';
import type { MinerEntry } from '../../fleet/identity/record.ts';
import { byAddress, lacking } from '../../fleet/miner-selectors.ts';
import type { MinerState } from '../../fleet/miner-state.ts';

/** How old the answer may be. */
const FRESH_MS = 1_000;
/** After the last request. */
const KEPT_MS = 60_000;

type Parts = {
  readonly clock: Clock;
  readonly fleet: Pick<Fleet, 'all'>;
  readonly registry: Pick<MinerRegistry, 'get'>;
};

/** A row, and what it was made of. */
type Made = Pick<MinerState, 'reported' | 'target' | 'judgedMs'> & {
  readonly entry: MinerEntry | undefined;
  readonly miner: SelectableMiner;
};

export type AgentBoard = ReturnType<typeof createAgentBoard>;

export function createAgentBoard({ clock, fleet, registry }: Parts) {
  let kept: { readonly epoch: string; readonly rows: BoardRows; made: Map<string, Made>; atMs: number } | undefined;
  let takenMs = Number.NEGATIVE_INFINITY;
  let forget = () => {};

  /** As the agent knows the miners now. */
  const miners = (): readonly SelectableMiner[] => {
    const now = lookAtClocks(clock);
    const made = new Map<string, Made>();
    for (const state of fleet.all()) {
      const { key, reported, target, judgedMs } = state;
      const entry = registry.get(key);
      const before = kept?.made.get(key);
      const isSame = before?.reported === reported && before?.target === target && before?.entry === entry;
      const isKept = before !== undefined && isSame && (before.judgedMs === undefined) === (judgedMs === undefined);
      made.set(key, isKept ? before : { reported, target, judgedMs, entry, miner: rowOf(state, entry, now) });
    }
    if (kept !== undefined) kept.made = made;
    return [...made.values()].map(({ miner }) => miner);
  };

  const current = () => {
    const nowMs = clock.monotonicMs();
    const board = kept ?? { epoch: randomUUID(), rows: new BoardRows(), made: new Map<string, Made>(), atMs: 0 };
    const isFirst = kept === undefined;
    kept = board;
    forget();
    forget = clock.after(
      KEPT_MS,
      () => {
        kept = undefined;
      },
      { unref: true },
    );
    if (!isFirst && nowMs - takenMs < FRESH_MS) return board;
    takenMs = nowMs;
    board.atMs = clock.nowMs();
    const all = miners();
    board.rows.takeAll(isFirst ? all.toSorted(byAddress) : all, board.atMs);
    return board;
  };

  return {
    miners,
    /** Throws RefusedError for a selector that cannot be read, or that needs what a service keeps. */
    board(request: BoardRequest, _signal?: AbortSignal): BoardMessage {
      const { epoch, rows, atMs } = current();
      const outcome = answerBoard({ epoch, rows, atMs, lacks: [...LACKS] }, { ...request, with_keys: true });
      switch (outcome.kind) {
        case 'ok':
          return outcome.board;
        case 'wrong':
          throw new RefusedError('select.wrong', outcome.problems.join('; '));
        case 'lacking':
          throw lacking(outcome.word);
      }
    },
  };
}

function rowOf(state: MinerState, entry: MinerEntry | undefined, now: ClockLook): SelectableMiner {
  const { key, target, readAt, judgedMs } = state;
  const abilities = taskNamesOf(Object.keys(target.driver.abilities));
  const row = boardRow(reportedRow({ ...(state.reported ?? notRead(state, entry)), abilities }), {
    ...{ id: key, key, agentId: null, container: null, rack: null, position: null, opsStatus: null },
    isReported: true,
    // Not polled since the start of the agent.
    isUnknown: judgedMs === undefined,
    seenAtMs: readAt === undefined ? null : wallTimeOf(readAt, now),
    createdAtMs: entry === undefined ? null : Math.min(entry.firstSeenMs, now.wallMs),
  });
  // The registry may know what this device does not report itself.
  return {
    ...row,
    mac: row.mac ?? entry?.mac ?? null,
    serials: [...new Set([...row.serials, entry?.serialNumber ?? []].flat())],
  };
}

/** Of a miner that was recognised and has not answered a poll yet. */
const notRead = ({ target }: MinerState, known: MinerEntry | undefined) =>
  toMinerDocument({
    ...{ reading: undefined, ip: target.ip, driverId: target.driver.id, known, flags: [] },
    ...{ isMining: undefined, isLastCheckOk: false, unstableReason: null },
    ...{ hashrate24hHs: undefined, lastReadingAtMs: undefined },
  });
