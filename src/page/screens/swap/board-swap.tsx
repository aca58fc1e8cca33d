// A control board was changed: the new unit that answers stands where a silent one stood. A person names the other one
// and confirms; the miner of before goes on with its place, its notes and its history.
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso/router';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { farmPath } from '../../api/paths.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useCommand } from '../../live/ask/use-command.ts';
import { useFarm } from '../../live/farm-state.ts';
import { type SwapSide, swapCandidates, swapSideOf } from '../../model/field/swap.ts';
import { labelOf, modelOf, placeOf } from '../../model/label.ts';
import { Age, Fact, RefusalNote } from '../../parts/bits.tsx';
import { Dialog } from '../../parts/dialog.tsx';

const MOST = 20;

export function BoardSwap({ row }: { row: BoardMiner }) {
  const { may, miners } = useFarm();
  const { nowMs } = useApp();
  const { swap } = useTexts();
  const isOpen = useSignal(false);
  const side = swapSideOf(row, nowMs.value);
  if (!may('miners.update') || side === undefined) return null;
  // Most miners that stand nowhere have replaced none.
  if (side === 'unit' && swapCandidates(row, miners.value, nowMs.value).length === 0) return null;
  return (
    <section>
      <h2>{swap.title}</h2>
      <button type="button" class="act" onClick={() => (isOpen.value = true)}>
        {side === 'old' ? swap.goneHere : swap.newHere}
      </button>
      {isOpen.value && <SwapDialog row={row} side={side} onClose={() => (isOpen.value = false)} />}
    </section>
  );
}

type SwapProps = { readonly row: BoardMiner; readonly side: SwapSide; readonly onClose: () => void };

/** One dialog for both steps: one that goes away closes what comes after it. */
function SwapDialog({ row, side, onClose }: SwapProps) {
  const { swap } = useTexts();
  const chosen = useSignal<BoardMiner | undefined>(undefined);
  const other = chosen.value;
  if (other === undefined)
    return (
      <Dialog title={side === 'unit' ? swap.chooseOld : swap.chooseNew} onClose={onClose}>
        <Choice row={row} onChosen={(miner) => (chosen.value = miner)} />
      </Dialog>
    );
  const [unit, old] = side === 'unit' ? [row, other] : [other, row];
  return (
    <Dialog title={swap.question(unit.ip, labelOf(old))} onClose={onClose}>
      <Confirm unit={unit} old={old} onBack={() => (chosen.value = undefined)} onClose={onClose} />
    </Dialog>
  );
}

type ChoiceProps = { readonly row: BoardMiner; readonly onChosen: (miner: BoardMiner) => void };

function Choice({ row, onChosen }: ChoiceProps) {
  const { miners } = useFarm();
  const { nowMs } = useApp();
  const { swap } = useTexts();
  const candidates = swapCandidates(row, miners.value, nowMs.peek());
  if (candidates.length === 0) return <p class="note">{swap.none}</p>;
  return (
    <ul class="choices">
      {candidates.slice(0, MOST).map((miner) => (
        <li key={miner.id}>
          <button type="button" class="act" onClick={() => onChosen(miner)}>
            <strong>{labelOf(miner)}</strong> {nameOf(miner)} · <Age atMs={miner.seenAtMs} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What stands on it beside its place. */
const nameOf = (miner: BoardMiner): string =>
  [labelOf(miner) === miner.ip ? null : miner.ip, modelOf(miner), miner.mac].filter((part) => part !== null).join(' ');

type ConfirmProps = {
  readonly unit: BoardMiner;
  readonly old: BoardMiner;
  readonly onBack: () => void;
  readonly onClose: () => void;
};

function Confirm({ unit, old, onBack, onClose }: ConfirmProps) {
  const { ref, farm } = useFarm();
  const texts = useTexts();
  const { route } = useLocation();
  const { run, isBusy, refusal } = useCommand();
  const { swap } = texts;
  const keep = async () => {
    const path = farmPath(ref, `miners/${encodeURIComponent(unit.id)}/same-chassis`);
    const kept = await run<{ readonly id: string }>({ method: 'POST', path, body: { replaces: old.id } });
    if (kept === undefined) return;
    onClose();
    route(`/f/${farm.id}/miners/${kept.id}`);
  };
  return (
    <>
      <dl class="facts">
        {[unit, old].map((miner) => (
          <Fact key={miner.id} name={labelOf(miner)}>
            {nameOf(miner)}
          </Fact>
        ))}
      </dl>
      <p>
        {swap.keeps(placeOf(old) ?? swap.noPlace)} {swap.final}
      </p>
      <RefusalNote refusal={refusal} />
      <div class="actions">
        <button type="button" class="act act-main" disabled={isBusy} onClick={() => void keep()}>
          {swap.confirm}
        </button>
        <button type="button" class="act" onClick={onBack}>
          {texts.common.back}
        </button>
      </div>
    </>
  );
}
