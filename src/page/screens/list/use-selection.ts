// Which miners a selector means, as the service says: one grammar for command line and page, and it looks at more than
// the rows hold, such as all pools of a miner.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Board, decodeBoard } from '../../../wire/api/board/codec.ts';
import type { BoardMessage } from '../../../wire/api/board/messages.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp } from '../../app-state.ts';
import { repeat } from '../../live/ask/repeat.ts';
import type { Refusal } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';

const EVERY_MS = 3_000;

export type Selection = {
  /** Undefined = not known yet. */
  readonly ids: ReadonlySet<string> | undefined;
  readonly unmatched: readonly string[];
  readonly refusal: Refusal | undefined;
};

const NONE: Selection = { ids: undefined, unmatched: [], refusal: undefined };

/** `select` undefined = none is written. */
export function useSelection(select: string | undefined): Selection {
  const { ask } = useApp();
  const { ref } = useFarm();
  const state = useSignal<Selection>(NONE);
  useEffect(() => {
    state.value = NONE;
    if (select === undefined) return;
    let had: Board | undefined;
    return repeat(EVERY_MS, async (abort) => {
      const since = had === undefined ? {} : { epoch: had.epoch, since: had.seq };
      const path = farmPath(ref, 'board/search');
      const body = { select, ...since };
      const outcome = await ask<Answer<BoardMessage>>({ method: 'POST', path, body, signal: abort });
      if (abort.aborted) return;
      if (outcome.kind !== 'ok') {
        state.value = { ...state.value, refusal: outcome };
        return;
      }
      had = decodeBoard(outcome.answer.data, had);
      const ids = new Set(had.miners.map(({ id }) => id));
      state.value = {
        ids,
        unmatched: had.unmatched.map(({ text, reason }) => `${text}: ${reason}`),
        refusal: undefined,
      };
    });
  }, [select, ref.id]);
  return state.value;
}

/** Whether it is written as a selector: `rack:C03`, `not flag:fan`, a range. Anything else is a part of a name. */
export const isSelector = (written: string): boolean =>
  /(^|\s)(not\s|[a-z]+:)/i.test(written) || /^\s*\d{1,3}(\.\d{1,3}){3}\s*[-/]\s*\d/.test(written);
