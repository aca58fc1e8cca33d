// From the rows that a selector found to the miners that an act can be sent to, and why not to the others. Pure.
import { parseIpv4Range } from '../../base/net/ipv4.ts';
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { byLocation } from '../../model/board/miner-order.ts';
import type { PoolFacts } from '../../model/pools/resolve-pools.ts';
import { TASK_KINDS } from '../../model/tasks/task-kinds.data.ts';
import type { ActMiner, LeftOut } from './runners/runner.ts';
import type { ActTask, StatusVerb } from './verbs/verbs.ts';

type Candidates = { readonly miners: readonly BoardMiner[]; readonly leftOut: readonly LeftOut[] };

/** In the order in which a person walks, so that the list is the same each time, however the miners were found. */
function split(rows: readonly BoardMiner[], whyNot: (row: BoardMiner) => string | undefined): Candidates {
  const judged = rows.toSorted(byLocation).map((row) => ({ row, reason: whyNot(row) }));
  return {
    miners: judged.flatMap(({ row, reason }) => (reason === undefined ? [row] : [])),
    leftOut: judged.flatMap(({ row, reason }) => (reason === undefined ? [] : [{ who: row.ip, reason }])),
  };
}

/** What agent and service check again: they know more of each. */
export const candidatesFor = (task: ActTask, rows: readonly BoardMiner[]): Candidates =>
  split(rows, ({ key, agentId, opsStatus, abilities, driver }) => {
    if (opsStatus === 'retired' || opsStatus === 'archived') return `it is ${opsStatus}`;
    if (key === null && agentId === null) return 'no agent serves it';
    if (TASK_KINDS[task].ability !== null && !abilities.includes(task)) return `its driver ${driver} cannot do this`;
    return undefined;
  });

export const candidatesForStatus = ({ from, to }: StatusVerb['opsStatus'], rows: readonly BoardMiner[]): Candidates =>
  split(rows, ({ opsStatus }) => {
    if (opsStatus === from) return undefined;
    if (opsStatus === to) return to === null ? 'it is in no maintenance' : `it is in ${to} already`;
    return `its ops status is ${opsStatus}`;
  });

export const shownMiner = ({ ip, mac, make, model, container, rack, position }: BoardMiner): ActMiner => ({
  ...{ ip, mac, container, rack, position },
  model: [make, model].filter((text) => text !== null && text !== '').join(' ') || null,
});

/** What is known of a miner for its pools, away from its agent. */
export const poolFactsOf = ({ pool, worker, ...miner }: BoardMiner): PoolFacts => ({
  ...{ ip: miner.ip, mac: miner.mac ?? undefined, serial: miner.serial ?? undefined, model: miner.model ?? undefined },
  ...{ rack: miner.rack ?? undefined, position: miner.position ?? undefined, set: 'elsewhere' },
  shown: pool === null || worker === null ? [] : [{ url: pool, user: worker, isActive: true }],
});

/** An address or a range, as it is written. */
export const isAddress = (text: string): boolean => typeof parseIpv4Range(text) !== 'string';
