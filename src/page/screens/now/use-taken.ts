// Who has taken which line of the worklist, as the service knows it, and how this person takes and releases one.
import { useMemo } from 'preact/hooks';
import { keyOfLine } from '../../../model/board/work-line.ts';
import type { TakenWorkItem } from '../../../wire/api/farm/taken-work.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp } from '../../app-state.ts';
import { type Refusal, useAsked } from '../../live/ask/use-asked.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useFarm } from '../../live/farm-state.ts';
import type { WorkLine } from '../../model/causes.ts';

const EVERY_MS = 10_000;
/** A farm has no more. */
const MOST = 500;

export type Holder = { readonly name: string; readonly isMine: boolean };

/** The same until another answer comes. */
export type TakenLines = {
  /** Undefined = the line is free, or it is not known yet. */
  holderOf(line: WorkLine): Holder | undefined;
  take(line: WorkLine): void;
  release(line: WorkLine): void;
  readonly refusal: Refusal | undefined;
};

export function useTaken(): TakenLines {
  const { session } = useApp();
  const { ref } = useFarm();
  const { answer, again } = useAsked<Answer<readonly TakenWorkItem[]>>(
    farmPath(ref, `work?page_size=${MOST}`),
    EVERY_MS,
  );
  const { run, refusal } = useCommand();
  const state = session.value;
  const own = state.kind === 'open' ? state.session.person.id : undefined;
  return useMemo(() => {
    const holders = new Map(
      answer?.data.map((item) => [
        keyOfLine(item),
        { name: item.taken_by.name, isMine: item.taken_by.id === own } satisfies Holder,
      ]),
    );
    const holderOf = ({ key }: WorkLine) => holders.get(key);
    const ask = async (what: 'take' | 'release', { cause, place, pool }: WorkLine, more: { take_over?: boolean }) => {
      await run({ method: 'POST', path: farmPath(ref, `work/${what}`), body: { cause, ...place, pool, ...more } });
      again();
    };
    return {
      holderOf,
      // From another person only where their name stood on the button.
      take: (line) => void ask('take', line, { take_over: holderOf(line) !== undefined }),
      release: (line) => void ask('release', line, {}),
      refusal,
    };
  }, [answer, own, refusal]);
}
