// Carries out a walk: each event becomes the next state and what is to be done, one after the other, so that buttons
// that are pressed meanwhile wait. The rules are in model/locations/walk.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { z } from 'zod';
import { likelyMiners } from '../../../model/locations/walk/likely.ts';
import { beginWalk, type WalkState } from '../../../model/locations/walk/state.ts';
import { type Effect, step, type WalkEvent, type WalkMessage } from '../../../model/locations/walk/steps.ts';
import type { movedSchema } from '../../../wire/api/farm/locations.ts';
import { farmPath } from '../../api/paths.ts';
import type { Outcome } from '../../api/request.ts';
import { useApp, useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { labelOfSlot } from '../../model/rack-cells.ts';
import { refusalText } from '../../parts/bits.tsx';
import { ACTS } from '../act/acts.ts';
import type { RackDetail } from '../locations/use-places.ts';
import { useLights } from './lights.ts';
import { give } from './signs.ts';

type Moved = z.infer<typeof movedSchema>;

/** A button that sends without end fills no memory. */
const MOST_WAITING = 100;
const NAMED = /^.*?miners\[0\]: /s;

/** Slots are called as on the other screens. */
const begin = ({ name, shape, slots }: RackDetail): WalkState | undefined => {
  const labelled = slots.map((slot) => ({ ...slot, label: labelOfSlot(name, slot.position) }));
  return beginWalk({ name, shape, slots: labelled }, { passesHeld: true });
};

/** Undefined where the shape of the rack is not known. */
export function useWalk(rack: RackDetail) {
  const perform = usePerform();
  const state = useSignal(begin(rack));
  const said = useSignal<readonly WalkMessage[]>([]);
  const waiting = useRef<WalkEvent[]>([]);
  const isRunning = useRef(false);
  const follow = async (first: WalkEvent) => {
    const events = [first];
    said.value = [];
    for (let event = events.shift(); event !== undefined; event = events.shift()) {
      const before = state.peek();
      if (before === undefined) return;
      const next = step(before, event);
      state.value = next.state;
      for (const effect of next.effects) {
        if (effect.kind === 'say') said.value = [...said.peek(), effect.message];
        if (effect.kind === 'report') said.value = [];
        const brought = await perform(effect, next.state);
        if (brought !== undefined) events.push(...brought);
      }
    }
  };
  const send = async (event: WalkEvent): Promise<void> => {
    if (waiting.current.length < MOST_WAITING) waiting.current.push(event);
    if (isRunning.current) return;
    isRunning.current = true;
    for (let next = waiting.current.shift(); next !== undefined; next = waiting.current.shift()) await follow(next);
    isRunning.current = false;
  };
  // A light that is on does not stay on.
  useEffect(() => () => void send({ kind: 'end' }), []);
  return { state: state.value, said: said.value, send: (event: WalkEvent) => void send(event) };
}

type Brought = readonly WalkEvent[] | undefined;
type Placing = Extract<Effect, { kind: 'try' | 'place' }>;

function usePerform(): (effect: Effect, state: WalkState) => Promise<Brought> {
  const { ask, format } = useApp();
  const { ref, miners, minerOf, waiting } = useFarm();
  const texts = useTexts();
  const lights = useLights();
  const change = (path: string, body: object) =>
    ask<Moved>({ method: 'POST', path: farmPath(ref, `location-changes${path}`), body });
  const orRefused = (outcome: Outcome<Moved>, good: (answer: Moved) => Brought): Brought => {
    if (outcome.kind === 'ok') return good(outcome.answer);
    give('attention');
    const text = refusalText(outcome, texts, format.value.duration);
    return [{ kind: 'refused', message: outcome.kind === 'refused' ? text.replace(NAMED, '') : text }];
  };
  /** Without a network an empty slot is given its miner later; the walk goes on. Nothing is shown as placed. */
  const later = ({ wanted, slot }: Placing, rack: string): Brought => {
    const { walk, offline } = texts;
    const miner = minerOf(wanted.miner);
    if (miner === undefined || slot.holder !== null || wanted.by === 'light') return undefined;
    const { position, label } = slot;
    if (!waiting.add(miner.id, miner.ip, { kind: 'place', rack, position, label }))
      return [{ kind: 'refused', message: offline.full }];
    return [{ kind: 'refused', message: `${walk.last(label, miner.ip)}: ${offline.waits}` }, { kind: 'skip' }];
  };
  return async (effect, state) => {
    switch (effect.kind) {
      case 'show':
        return undefined;
      case 'say':
        if (effect.message.kind === 'ask' || effect.message.kind === 'button-waits') give('attention');
        return undefined;
      case 'report':
        give('placed');
        return undefined;
      case 'try':
      case 'place': {
        const { wanted, slot } = effect;
        const isTry = effect.kind === 'try';
        const placement = { miner: wanted.miner, rack: state.rack, position: slot.position };
        const outcome = await change('', { miners: [placement], swap: true, dry_run: isTry });
        const waits = outcome.kind === 'unreachable' ? later(effect, state.rack) : undefined;
        if (waits !== undefined) return waits;
        return orRefused(outcome, ({ data, meta }) => {
          if (isTry) return [{ kind: 'tried', wanted, moves: data }];
          const placed: WalkEvent = { kind: 'placed', changeId: meta.change_id, moves: data };
          // One light after the other, until a person ends that.
          return wanted.by === 'light' ? [placed, { kind: 'light' }] : [placed];
        });
      }
      case 'undo':
        return orRefused(await change(`/${effect.changeId}/undo`, {}), ({ data }) => [{ kind: 'undone', moves: data }]);
      case 'find-likely': {
        const isPlaced = (id: string) => state.placed.some((placed) => placed.id === id);
        const able = miners
          .peek()
          .filter(({ id, isOnline, abilities }) => isOnline && abilities.includes(ACTS.light.task) && !isPlaced(id));
        return [{ kind: 'likely', candidates: likelyMiners(state, able) }];
      }
      case 'light':
        if (effect.on) return [{ kind: 'lit', problem: await lights.on(effect.candidate.id) }];
        lights.off(effect.candidate.id);
        return undefined;
    }
  };
}
