// The containers and racks of a farm. It says where miners can stand; where they do stand is said on a walk.
import { useSignal } from '@preact/signals';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { compareNames } from '../../model/causes.ts';
import { Loading, RefusalNote } from '../../parts/bits.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { RackForm } from './rack-form.tsx';
import { containerPath, type Rack, rackPath, useChange, useContainers, useRacks } from './use-places.ts';

/** What is removed when the question is answered. */
type Doomed = { readonly path: string; readonly question: string };

export function Locations() {
  const { may } = useFarm();
  const texts = useTexts();
  const racks = useRacks();
  const containers = useContainers();
  const edited = useSignal<Rack | 'new' | undefined>(undefined);
  const doomed = useSignal<Doomed | undefined>(undefined);
  const mayChange = may('miners.update');
  const again = () => {
    racks.again();
    containers.again();
  };
  const list = (racks.answer?.data ?? []).toSorted(
    (a, b) => compareNames(a.container, b.container) || compareNames(a.name, b.name),
  );
  const names = (containers.answer?.data ?? []).map(({ name }) => name).toSorted(compareNames);
  return (
    <section>
      <h1>{texts.places.title}</h1>
      <RefusalNote refusal={racks.refusal ?? containers.refusal} />
      <h2>{texts.places.racks}</h2>
      {racks.answer === undefined ? <Loading /> : list.length === 0 && <p class="note">{texts.places.none}</p>}
      <ul class="places">
        {list.map((rack) => (
          <RackLine
            key={rack.name}
            rack={rack}
            onChange={() => (edited.value = rack)}
            onRemove={() =>
              (doomed.value = { path: rackPath(rack.name), question: texts.places.removeRack(rack.name) })
            }
          />
        ))}
      </ul>
      {mayChange && (
        <button type="button" class="act" onClick={() => (edited.value = 'new')}>
          {texts.places.addRack}
        </button>
      )}
      <h2>{texts.places.containers}</h2>
      <ul class="places">
        {containers.answer?.data.map(({ name, rack_count: count, miner_count: standing }) => (
          <li key={name}>
            <strong>{name}</strong> {texts.places.rackCount(count)}, {texts.miners(standing)}
            {mayChange && (
              <button
                type="button"
                class="link"
                onClick={() =>
                  (doomed.value = { path: containerPath(name), question: texts.places.removeContainer(name) })
                }
              >
                {texts.places.remove}
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayChange && <NewContainer onDone={again} />}
      {edited.value !== undefined && (
        <RackForm
          rack={edited.value === 'new' ? undefined : edited.value}
          containers={names}
          onClose={() => (edited.value = undefined)}
          onDone={again}
        />
      )}
      {doomed.value !== undefined && (
        <Removal {...doomed.value} onClose={() => (doomed.value = undefined)} onDone={again} />
      )}
    </section>
  );
}

type LineProps = { readonly rack: Rack; readonly onChange: () => void; readonly onRemove: () => void };

function RackLine({ rack, onChange, onRemove }: LineProps) {
  const { farm, may } = useFarm();
  const texts = useTexts();
  const { name, container, shape, miner_count: standing } = rack;
  const to = (screen: string) => `/f/${farm.id}/${screen}/${encodeURIComponent(name)}`;
  return (
    <li>
      <strong>{name}</strong>{' '}
      <span>
        {container === null ? texts.places.noContainer : texts.places.inContainer(container)} ·{' '}
        {shape === null ? texts.places.noShape : texts.places.shape(shape.rows, shape.columns)} ·{' '}
        {texts.miners(standing)}
      </span>
      <div class="actions">
        <a class="act" href={to('map')}>
          {texts.places.map}
        </a>
        {may('miners.update') && (
          <>
            <a class="act" href={to('walk')}>
              {texts.places.walk}
            </a>
            <button type="button" class="act" onClick={onChange}>
              {texts.places.change}
            </button>
            <button type="button" class="act" onClick={onRemove}>
              {texts.places.remove}
            </button>
          </>
        )}
      </div>
    </li>
  );
}

function NewContainer({ onDone }: { onDone: () => void }) {
  const texts = useTexts();
  const name = useSignal('');
  const { send, refusal, isBusy } = useChange();
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!(await send('PUT', containerPath(name.value.trim())))) return;
    name.value = '';
    onDone();
  };
  return (
    <form onSubmit={add}>
      <RefusalNote refusal={refusal.value} />
      <div class="inline">
        <label>
          {texts.places.addContainer}
          <input
            required
            maxLength={64}
            autocomplete="off"
            value={name.value}
            onInput={({ currentTarget: { value } }) => (name.value = value)}
          />
        </label>
        <button type="submit" class="act" disabled={isBusy.value}>
          {texts.common.save}
        </button>
      </div>
    </form>
  );
}

type RemovalProps = Doomed & { readonly onClose: () => void; readonly onDone: () => void };

function Removal({ path, question, onClose, onDone }: RemovalProps) {
  const texts = useTexts();
  const { send, refusal } = useChange();
  const remove = async () => {
    if (!(await send('DELETE', path))) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={question} onClose={onClose}>
      <RefusalNote refusal={refusal.value} />
      <div class="actions">
        <button type="button" class="act act-main" onClick={remove}>
          {texts.places.remove}
        </button>
        <button type="button" class="act" onClick={onClose}>
          {texts.common.cancel}
        </button>
      </div>
    </Dialog>
  );
}
