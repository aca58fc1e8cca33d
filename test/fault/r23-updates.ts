// Updates of a host, broken and whole, and an updater that is killed: in the end there is always a version that works.
import { rmSync } from 'node:fs';
import { PATIENCE } from '../../src/update/install/healthy.ts';
import { STEPS } from '../../src/update/install/notes.ts';
import { seeded } from './seeded.ts';
import { report } from './table.ts';
import { type Fault, startSite } from './updated-site.ts';

/** Shorter than on a farm; what it is there is added to what was measured. */
const PATIENCE_HERE = { readyMs: 4_000, stableMs: 400 };
const BACK_MS = 120_000;

type Plan = {
  /** What each new version does. */
  readonly updates: readonly Fault[];
  /** At each step. */
  readonly kills: number;
};

export async function measure({ updates, kills }: Plan): Promise<void> {
  const site = await startSite(PATIENCE_HERE);
  const problems: string[] = [];
  const random = seeded(23);
  let slowestMs = 0;
  let [broken, refused, killed, number] = [0, 0, 0, 0];
  const nextBundle = (fault: Fault) => site.bundle(`2.0.${++number}`, fault);

  /** A version works, and nothing is left half done. */
  const mustWork = async (what: string): Promise<number> => {
    const afterMs = await site.worksAfterMs();
    if (afterMs === undefined) throw new Error(`${what}: no version works`);
    if (site.notes.journal() !== undefined) problems.push(`${what}: not ended`);
    if (site.versions().length > 2) problems.push(`${what}: ${site.versions().join(', ')} are there`);
    return afterMs;
  };

  const updateTo = async (fault: Fault): Promise<void> => {
    const before = site.installed();
    const bundle = await nextBundle(fault);
    const what = `2.0.${number}, ${fault}`;
    const { outcome } = await site.update(bundle);
    const wanted = { works: 'updated', processor: 'failed' }[String(fault)] ?? 'rolled-back';
    if (outcome?.result !== wanted) problems.push(`${what}: ${outcome?.result}, ${outcome?.message}`);
    const afterMs = await mustWork(what);
    if (fault !== 'works') {
      broken++;
      slowestMs = Math.max(slowestMs, (outcome?.without_proof_ms ?? 0) + afterMs);
      if (site.installed() !== before) problems.push(`${what}: ${site.installed()} is installed`);
      const starts = site.starts();
      const again = await site.update(bundle);
      if (again.outcome?.result === 'refused' && site.starts() === starts) refused++;
      else problems.push(`${what}, once more: ${again.outcome?.result}, ${site.starts() - starts} starts`);
    }
    rmSync(bundle);
  };

  const carryOut = async (): Promise<void> => {
    await site.start();
    await mustWork('at first');
    for (const fault of updates) await updateTo(fault);
    for (const step of STEPS) {
      // The way back is gone by broken versions alone.
      const fault: Fault = step === 'returning' ? 'data' : 'works';
      for (let kill = 0; kill < kills; kill++) {
        const bundle = await nextBundle(fault);
        const what = `killed at ${step}`;
        const { isKilled } = await site.update(bundle, { step, afterMs: kill === 0 ? 0 : Math.floor(random() * 120) });
        const begunMs = performance.now();
        if (isKilled) killed++;
        const runs = await site.recover();
        await mustWork(`${what} (${runs} runs after it)`);
        if (isKilled) slowestMs = Math.max(slowestMs, performance.now() - begunMs);
        rmSync(bundle);
      }
    }
    if (killed < STEPS.length * kills) problems.push(`${killed} kills of ${STEPS.length * kills} met the updater`);
  };

  try {
    await carryOut().catch((error: unknown) => problems.push(String(error)));
    const { promised, missing } = await site.records().catch((error: unknown) => {
      problems.push(`the outbox cannot be read: ${String(error)}`);
      return { promised: 0, missing: 0 };
    });
    if (missing > 0 || promised === 0) problems.push(`${missing} of ${promised} records are not in the outbox`);
    for (const problem of problems) process.stdout.write(`R23: ${problem}\n`);
    const onFarmMs = slowestMs + PATIENCE.readyMs - PATIENCE_HERE.readyMs + PATIENCE.stableMs - PATIENCE_HERE.stableMs;
    report({
      id: 'R23',
      value: `${updates.length} updates, ${broken} broken (${[...new Set(updates)].filter((fault) => fault !== 'works').join(', ')}), ${refused} of them refused when asked again; ${killed} kills over ${STEPS.length} steps: ${problems.length} problems; back within ${(slowestMs / 1_000).toFixed(1)} s, with the patience of a farm ${(onFarmMs / 1_000).toFixed(1)} s; ${promised - missing} of ${promised} records kept`,
      bar: '0 without a working version; back <= 120 s; buffer intact; not tried again',
      isMet: problems.length === 0 && onFarmMs <= BACK_MS,
    });
  } finally {
    await site.stop();
  }
}
