// The logs that tasks have fetched, as files: each in a folder of its rack, where the miner has one. Pure.
import type { BoardMiner } from '../../../model/board/board-miner.ts';

type LogTask = {
  readonly miner_id: string | null;
  readonly evidence: Readonly<Record<string, unknown>>;
};

export type LogFile = { readonly name: string; readonly text: string };

/** Those that have a text. */
export function logFiles(
  tasks: readonly LogTask[],
  minerOf: (id: string) => BoardMiner | undefined,
): readonly LogFile[] {
  const used = new Map<string, number>();
  return tasks.flatMap(({ miner_id, evidence: { text } }) => {
    if (typeof text !== 'string' || miner_id === null) return [];
    const path = pathOf(minerOf(miner_id), miner_id);
    const count = (used.get(path) ?? 0) + 1;
    used.set(path, count);
    return [{ name: `${path}${count === 1 ? '' : `-${count}`}.log`, text }];
  });
}

/** One that has gone is called by its id. */
const pathOf = (miner: BoardMiner | undefined, id: string): string =>
  [miner?.container, miner?.rack, miner?.ip ?? id].flatMap((name) => (name ? [plainName(name)] : [])).join('/');

/** No name leads out of the folder that a zip is opened in. */
const plainName = (name: string): string =>
  name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '_').replace(/^\.+/, (dots) => '_'.repeat(dots.length));
