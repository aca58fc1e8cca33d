// The agents of a farm, asked every few seconds: which is silent, and which cannot keep what it reports.
import { signal } from '@preact/signals';
import type { z } from 'zod';
import type { agentV2Schema } from '../../wire/api/tenants.ts';
import { type FarmRef, farmPath } from '../api/paths.ts';
import type { Answer } from '../api/request.ts';
import type { AppState } from '../app-state.ts';
import { nowMs } from '../time.ts';
import { repeat } from './ask/repeat.ts';

export type FarmAgent = z.infer<typeof agentV2Schema>;
const EVERY_MS = 10_000;

export function createAgents(app: AppState, ref: FarmRef) {
  const list = signal<readonly FarmAgent[]>([]);
  const answeredMs = signal<number | undefined>(undefined);
  return {
    list,
    /** When they were last known; undefined = not yet. */
    answeredMs,
    start: (): (() => void) =>
      repeat(EVERY_MS, async (abort) => {
        const path = farmPath(ref, 'agents?page_size=100');
        const outcome = await app.ask<Answer<FarmAgent[]>>({ path, signal: abort });
        if (outcome.kind !== 'ok') return;
        list.value = outcome.answer.data;
        answeredMs.value = nowMs();
      }),
  };
}
