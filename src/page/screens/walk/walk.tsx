// A walk along a rack: the next empty slot in big numbers; the miner whose IP button is pressed is placed there, and
// the next slot comes by itself. Nothing is shown as placed before the service has kept it.
import type { WalkSlot, WalkState } from '../../../model/locations/walk/state.ts';
import { slotOf } from '../../../model/locations/walk/state.ts';
import type { WalkEvent, WalkMessage } from '../../../model/locations/walk/steps.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { Loading, RefusalNote, refusalText } from '../../parts/bits.tsx';
import { RackTable } from '../../parts/rack-table.tsx';
import { type RackDetail, useRack } from '../locations/use-places.ts';
import { ByHand } from './by-hand.tsx';
import { useWakeLock } from './signs.ts';
import { type Hearing, useButtons } from './use-buttons.ts';
import { useWalk } from './use-walk.ts';
import { messageText, questionText } from './walk-text.ts';

export function Walk({ rack = '' }: { rack?: string }) {
  const { may } = useFarm();
  const texts = useTexts();
  const { answer, refusal } = useRack(rack);
  return (
    <section class="walk">
      <h1>{texts.walk.title(rack)}</h1>
      {!may('miners.update') ? (
        <p class="note note-bad">{texts.common.forbidden}</p>
      ) : answer === undefined ? (
        refusal === undefined ? (
          <Loading />
        ) : (
          <RefusalNote refusal={refusal} />
        )
      ) : answer.data.shape === null ? (
        <NeedsShape />
      ) : (
        <Walking key={rack} rack={answer.data} />
      )}
    </section>
  );
}

function NeedsShape() {
  const { farm } = useFarm();
  const texts = useTexts();
  return (
    <p class="note note-bad">
      {texts.walk.needsShape} <a href={`/f/${farm.id}/locations`}>{texts.places.title}</a>
    </p>
  );
}

function Walking({ rack }: { rack: RackDetail }) {
  const { state, said, send } = useWalk(rack);
  const { may } = useFarm();
  const texts = useTexts();
  useWakeLock();
  const hearing = useButtons((miner) => send({ kind: 'button', miner }));
  if (state === undefined) return <NeedsShape />;
  const { phase } = state;
  const isWaiting = phase.kind === 'slot';
  return (
    <>
      <BigSlot state={state} said={said} hearing={hearing} />
      {phase.kind === 'question' && (
        <div class="actions walk-acts">
          <button type="button" class="act act-main" onClick={() => send({ kind: 'answer', isYes: true })}>
            {phase.question.kind === 'held' ? texts.walk.swap : texts.walk.move}
          </button>
          <button type="button" class="act" onClick={() => send({ kind: 'answer', isYes: false })}>
            {texts.walk.no}
          </button>
        </div>
      )}
      {phase.kind === 'light' && (
        <div class="actions walk-acts">
          <button type="button" class="act act-main" onClick={() => send({ kind: 'answer', isYes: false })}>
            {texts.walk.notHere}
          </button>
          <button type="button" class="act" onClick={() => send({ kind: 'stop-lights' })}>
            {texts.walk.stopLight}
          </button>
        </div>
      )}
      <LastPlaced state={state} send={send} />
      <div class="actions walk-acts">
        <button type="button" class="act" disabled={!isWaiting} onClick={() => send({ kind: 'back' })}>
          {texts.common.back}
        </button>
        <button type="button" class="act" disabled={!isWaiting || state.isOver} onClick={() => send({ kind: 'skip' })}>
          {texts.walk.skip}
        </button>
        {may('tasks.light') && phase.kind !== 'light' && (
          <button type="button" class="act" disabled={!isWaiting} onClick={() => send({ kind: 'light' })}>
            {texts.walk.light}
          </button>
        )}
      </div>
      {isWaiting && !state.isOver && <ByHand onNamed={(miner) => send({ kind: 'named', miner })} />}
      <Slots rack={rack} state={state} onTap={(at) => send({ kind: 'slot', at })} />
    </>
  );
}

type BigProps = {
  readonly state: WalkState;
  readonly said: readonly WalkMessage[];
  readonly hearing: Hearing;
};

function BigSlot({ state, said, hearing }: BigProps) {
  const { format } = useApp();
  const texts = useTexts();
  const slot = state.isOver ? undefined : slotOf(state);
  const { phase } = state;
  return (
    <div class="walk-slot" role="status">
      {slot === undefined ? (
        <p class="big">{texts.walk.over}</p>
      ) : (
        <>
          <p class="walk-number">
            <span>{texts.walk.slot}</span> <strong>{slot.position}</strong>
          </p>
          <p>
            {slot.row !== null && slot.column !== null && `${texts.walk.where(slot.row, slot.column)} · `}
            {slot.holder === null ? texts.walk.empty : texts.walk.heldBy(slot.holder)}
          </p>
        </>
      )}
      {phase.kind === 'question' && <p class="big">{questionText(phase.question, texts)}</p>}
      {phase.kind === 'busy' && <p>{texts.walk.busy}</p>}
      {phase.kind === 'slot' && slot !== undefined && hearing.kind !== 'deaf' && <p>{texts.walk.press}</p>}
      {said.map((message, index) => (
        <p key={index} class={message.kind === 'refused' ? 'note note-bad' : undefined}>
          {messageText(message, texts)}
        </p>
      ))}
      {hearing.kind === 'deaf' && (
        <p class="note note-bad">
          {texts.walk.notHeard} {refusalText(hearing.refusal, texts, format.value.duration)}
        </p>
      )}
    </div>
  );
}

type LastProps = { readonly state: WalkState; readonly send: (event: WalkEvent) => void };

function LastPlaced({ state, send }: LastProps) {
  const texts = useTexts();
  const last = state.placed.at(-1);
  if (last === undefined) return null;
  const undo = () => {
    if (state.phase.kind === 'light') send({ kind: 'stop-lights' });
    send({ kind: 'undo' });
  };
  return (
    <div class="walk-last">
      <p>
        <strong>{texts.walk.last(state.slots[last.at]?.label ?? '', last.ip)}</strong>
        <br />
        {texts.walk.placed(state.placed.length)}
      </p>
      <button
        type="button"
        class="act"
        disabled={state.phase.kind !== 'slot' && state.phase.kind !== 'light'}
        onClick={undo}
      >
        {texts.common.undo}
      </button>
    </div>
  );
}

type SlotsProps = { readonly rack: RackDetail; readonly state: WalkState; readonly onTap: (at: number) => void };

function Slots({ rack, state, onTap }: SlotsProps) {
  const texts = useTexts();
  const { waiting } = useFarm();
  const present = state.isOver ? undefined : slotOf(state);
  const waits = new Set(
    waiting.list.value.flatMap(({ what, problem }) =>
      what.kind === 'place' && what.rack === rack.name && problem === null ? [what.position] : [],
    ),
  );
  const textOf = ({ label, holder, position }: WalkSlot) => {
    const now = holder === null ? texts.walk.empty : texts.walk.heldBy(holder);
    return `${label}, ${waits.has(position) ? texts.offline.waits : now}`;
  };
  return (
    <RackTable
      caption={texts.walk.slots}
      name={rack.name}
      slots={state.slots}
      cell={(slot) => ({
        content: `${slot.position}${slot.holder !== null ? ' ●' : waits.has(slot.position) ? ' …' : ''}`,
        label: textOf(slot),
        look: slot === present ? 'slot-present' : slot.holder === null ? 'level-empty' : 'level-good',
        isPresent: slot === present,
        onTap: () => onTap(state.slots.indexOf(slot)),
      })}
    />
  );
}
