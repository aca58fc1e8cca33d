// Reads what may have changed of a farm since a board was read last: as little as may be each second, all now and then.
import { type ReportedMiner, type ReportedRow, reportedRow } from '../../model/board/board-row.ts';
import type { BoardAgent, BoardDocument, BoardMark, BoardStore, ChangedMiner } from '../store/store.ts';

/** How often it is asked what operators have set at other copies, and what is gone: that reads all rows. */
const OTHERS_MS = 5_000;
/** How often all rows are read, for what no look at changes finds: repairs after a clock was set. */
const WHOLE_MS = 120_000;

/** What the last look found, and when. Where it is the same only newer reports are read. */
export type Look = {
  readonly others: { readonly count: number; readonly text: string };
  readonly polls: string;
  /** The newest slice that is known of each agent. */
  readonly orders: ReadonlyMap<string, number>;
  readonly othersMs: number;
  readonly wholeMs: number;
};

type Source = {
  readonly farmId: string;
  readonly store: BoardStore;
  /** The rows with a newer report; 'sought' = they are not known. */
  readonly changed: readonly number[] | 'sought';
  /** Reports that need not be read, by their rows. */
  readonly handed: ReadonlyMap<number, ChangedMiner['stored']>;
  readonly elapsedMs: number;
};

export type Found = {
  readonly agents: ReadonlyMap<string, BoardAgent>;
  readonly marks: readonly BoardMark[];
  /** Of marks whose report is new, by their rows. */
  readonly reported: ReadonlyMap<number, ReportedRow>;
  /** The marks are all that there are, in the order of lists. */
  readonly isWhole: boolean;
  readonly next: Look;
};

/** `known` = what is there of each row. */
export async function look(
  { farmId, store, changed, handed, elapsedMs }: Source,
  known: ReadonlyMap<number, { readonly mark: BoardMark }>,
  last: Look | undefined,
): Promise<Found> {
  const asksOthers = last === undefined || elapsedMs - last.othersMs >= OTHERS_MS;
  const [others, agents] = await Promise.all([
    asksOthers ? store.operatorText(farmId) : last.others,
    store.heard(farmId),
  ]);
  const polls = [...agents].map(([id, { poll_interval_ms }]) => `${id} ${poll_interval_ms}`).join();
  const isDue = last === undefined || elapsedMs - last.wholeMs >= WHOLE_MS;
  let isWhole = isDue || last.others.text !== others.text || last.polls !== polls;
  const orders = new Map([...agents.keys()].map((id) => [id, last?.orders.get(id) ?? 0]));
  const recent = () => (changed === 'sought' ? store.marksSince(farmId, orders) : store.marksOf(farmId, changed));
  let marks = await (isWhole ? store.marks(farmId) : recent());
  const added = marks.filter(({ rowId }) => !known.has(rowId)).length;
  // Some are gone, and others have come.
  if (!isWhole && asksOthers && known.size + added !== others.count) {
    isWhole = true;
    marks = await store.marks(farmId);
  }
  const isNew = ({ rowId, report }: BoardMark) => known.get(rowId)?.mark.report !== report;
  const reported = await readReports(store, marks.filter(isNew), handed);
  for (const { agentId, order } of marks)
    if (agentId !== null) orders.set(agentId, Math.max(order, orders.get(agentId) ?? 0));
  const wholeMs = isWhole || last === undefined ? elapsedMs : last.wholeMs;
  const othersMs = asksOthers ? elapsedMs : last.othersMs;
  return { agents, marks, reported, isWhole, next: { others, polls, orders, wholeMs, othersMs } };
}

/** Most were stored by this copy a moment ago: to read and parse them costs more than all the rest of a look. */
async function readReports(
  store: BoardStore,
  marks: readonly BoardMark[],
  handed: Source['handed'],
): Promise<ReadonlyMap<number, ReportedRow>> {
  const reported = new Map<number, ReportedRow>();
  const others: number[] = [];
  for (const { rowId, report } of marks) {
    const stored = handed.get(rowId);
    if (stored?.report === report) reported.set(rowId, reportedRow(stored.reported));
    else others.push(rowId);
  }
  for await (const documents of store.documents(others))
    for (const document of documents) reported.set(document.rowId, reportedRow(parsed(document)));
  return reported;
}

/** As we have stored them. */
function parsed({ document, extras, abilities }: BoardDocument) {
  const reported: ReportedMiner = {
    document: JSON.parse(document),
    extras: JSON.parse(extras),
    abilities: JSON.parse(abilities),
  };
  return reported;
}
