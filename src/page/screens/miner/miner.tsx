// One miner: what is wrong in words first, then what can be done, then all that is known of it with its age.
import { useRoute } from 'preact-iso/router';
import type { BoardMiner } from '../../../model/board/board-miner.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { causeOf, isAnomaly, sinceOf } from '../../model/causes.ts';
import { labelOf, modelOf, stateOf } from '../../model/label.ts';
import { Age, Loading, RefusalNote, StateMark } from '../../parts/bits.tsx';
import { BoardSwap } from '../swap/board-swap.tsx';
import type { MinerDetail } from './detail.ts';
import { Hardware } from './hardware.tsx';
import { History } from './history.tsx';
import { MinerActs } from './miner-acts.tsx';
import { MinerTasks } from './miner-tasks.tsx';
import { Notes } from './notes.tsx';
import { Facts, Values } from './values.tsx';

const EVERY_MS = 5_000;

export function Miner() {
  const { params } = useRoute();
  const { isKnown, minerOf, ref } = useFarm();
  const texts = useTexts();
  const id = params.id ?? '';
  const detail = useAsked<Answer<MinerDetail>>(farmPath(ref, `miners/${encodeURIComponent(id)}`), EVERY_MS);
  const row = minerOf(id);
  if (!isKnown.value) return <Loading />;
  if (row === undefined) return <p class="note note-bad">{texts.miner.gone}</p>;
  const known = detail.answer?.data;
  return (
    <article class="miner">
      <Head row={row} />
      <Troubles row={row} detail={known} />
      <MinerActs row={row} onDone={detail.again} />
      <RefusalNote refusal={detail.refusal} />
      <Values row={row} detail={known} />
      {known !== undefined && (
        <>
          <History id={id} />
          <Hardware detail={known} />
          <MinerTasks id={id} />
          <Notes row={row} notes={known.notes} onAdded={detail.again} />
          <BoardSwap row={row} />
          <Facts row={row} detail={known} />
        </>
      )}
    </article>
  );
}

function Head({ row }: { row: BoardMiner }) {
  const { format, nowMs } = useApp();
  const texts = useTexts();
  const now = nowMs.value;
  const label = labelOf(row);
  const moment = (ms: number | null) => (ms === null ? texts.common.unknown : format.value.moment(ms, now));
  const cause = causeOf(row, now);
  return (
    <header class="miner-head">
      <h1>
        <StateMark state={stateOf(row, now)} /> {label}
      </h1>
      <p>
        {modelOf(row) ?? texts.common.unknown} · {row.ip}
      </p>
      <p class={row.isUnknown ? 'note note-bad' : 'note'}>
        {row.isUnknown && texts.miner.unknownSince(moment(row.seenAtMs))}
        {(cause === 'silent' || cause === 'missing' || cause === 'hung') &&
          texts.miner.silentSince(moment(row.seenAtMs))}
        {row.seenAtMs === null ? (
          texts.miner.neverRead
        ) : (
          <> {texts.miner.ageOf(format.value.duration(now - row.seenAtMs))}</>
        )}
      </p>
    </header>
  );
}

/** Each with what was measured and the limit it passed. */
function Troubles({ row, detail }: { row: BoardMiner; detail: MinerDetail | undefined }) {
  const texts = useTexts();
  const { nowMs, format } = useApp();
  const cause = causeOf(row, nowMs.value);
  /** Hashrates are in H/s, which no person reads. */
  const measured = (type: string, value: string | number) => {
    if (typeof value === 'string') return value;
    return type === 'low_hashrate' ? format.value.hashrate(value) : String(value);
  };
  const flags = detail?.flags ?? [];
  if (row.isUnknown) return null;
  return (
    <section class="troubles" aria-label={texts.miner.sections.troubles}>
      {cause !== undefined && !isAnomaly(cause) && (
        <p class="trouble trouble-major">
          <strong>{texts.cause[cause]}</strong> <Age atMs={sinceOf(row, cause)} />
        </p>
      )}
      {flags.length === 0 && row.firstFlag !== null && (
        <p class={`trouble trouble-${row.firstFlag.severity}`}>
          <strong>{texts.flag[row.firstFlag.type]}</strong> {row.firstFlag.message} <Age atMs={row.firstFlag.sinceMs} />
        </p>
      )}
      {flags.map(({ type, severity, message, since, value, limit }) => (
        <p key={type} class={`trouble trouble-${severity}`}>
          <strong>{texts.flag[type]}</strong> {message} <Age atMs={Date.parse(since)} />
          {value !== null && limit !== null && (
            <small>{texts.miner.limit(measured(type, value), measured(type, limit))}</small>
          )}
        </p>
      ))}
      {detail?.default_password === true && <p class="trouble trouble-minor">{texts.miner.defaultPassword}</p>}
    </section>
  );
}
