// `pithead walk <rack>`: slot by slot along a rack. A pressed IP button, a scanner or the keyboard says which miner
// stands there, and the service keeps it at once. What follows what is steps.ts; this asks, shows and sends.
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { systemClock } from '../../../base/clock.ts';
import { CancelledError, PeerError, renderError } from '../../../base/errors.ts';
import { likelyMiners } from '../../../model/locations/walk/likely.ts';
import { beginWalk, type WalkSlot, type WalkState } from '../../../model/locations/walk/state.ts';
import { mustHaveService, withConnection } from '../../connection/connection.ts';
import { readWhole } from '../../options.ts';
import { CommandFailed } from '../../output/exit.ts';
import { countOf } from '../../output/format.ts';
import { type CliContext, type Paint, painter } from '../../output/terminal.ts';
import { addLocationOptions, type LocationFlags } from '../location-options.ts';
import { type LocationService, locationsOf } from '../location-service.ts';
import { followButtons, newestEvent } from './buttons.ts';
import { createInputs, type Inputs } from './inputs.ts';
import { createLights, type Lights } from './light.ts';
import { type Effect, opening, step, type WalkEvent } from './steps.ts';

type WalkFlags = LocationFlags & { from?: string; empty?: boolean; slots?: string };

const HELP = `
At each slot: press the IP button of the miner; or scan or type its address, MAC address or serial number; or type light, and the light of the likeliest miner
goes on. Each is kept at once. s skips the slot, u takes the last miner out again, q ends. A slot that is held asks before it swaps.
`;

const MAX_SLOTS = 10_000;

export function addWalk(program: Command, context: CliContext): void {
  const examples = ['pithead walk C03', 'pithead walk C03 --empty', 'pithead walk C03 --from 13 --json'];
  const command = program.command('walk').description('walk along a rack and say which miner stands in each slot');
  addLocationOptions(command, examples, HELP)
    .argument('<rack>', 'name of the rack')
    .option('--from <position>', 'begin at this position')
    .option('--empty', 'only slots in which no miner stands')
    .option('--slots <n>', 'how many slots a rack has whose shape is not known')
    .action((rack: string, flags: WalkFlags) => walk(rack, flags, context));
}

async function walk(rack: string, flags: WalkFlags, context: CliContext): Promise<void> {
  await withConnection(flags, context, async (connection) => {
    const service = mustHaveService(connection, 'where miners stand');
    const locations = locationsOf(service);
    const state = await begin(rack, flags, locations);
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, context.signal]);
    const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
    const inputs = createInputs(lines, signal);
    const lights = createLights(service, systemClock, (text) => void context.stderr.write(`${text}\n`));
    const trouble = (error: unknown) => void context.stderr.write(`buttons are not heard: ${renderError(error)}\n`);
    const listening = { after: await newestEvent(service, trouble), onPressed: inputs.press, onTrouble: trouble };
    const following = followButtons(service, systemClock, signal, listening);
    try {
      const end = await go(state, inputs, createDoer({ locations, lights, flags, context }));
      await lights.settle();
      if (context.signal.aborted) throw new CancelledError('walk along the rack');
      const left = end.slots.length - end.at;
      context.stderr.write(`${end.placed.length} placed, ${end.skipped} skipped, ${countOf(left, 'slot')} left\n`);
    } finally {
      over.abort();
      lines.close();
      await following;
    }
  });
}

async function begin(rack: string, flags: WalkFlags, locations: LocationService): Promise<WalkState> {
  const options = {
    from: flags.from === undefined ? undefined : readWhole('--from', flags.from, 1, MAX_SLOTS),
    isEmptyOnly: flags.empty === true,
    slotCount: flags.slots === undefined ? undefined : readWhole('--slots', flags.slots, 1, MAX_SLOTS),
  };
  const known = (await locations.racks()).some(({ name }) => name === rack);
  const detail = known ? await locations.rack(rack) : { name: rack, shape: null, slots: [] };
  const state = beginWalk(detail, options);
  if (state !== undefined) return state;
  const how = `pithead rack set ${rack} --rows <n> --columns <n>`;
  throw new CommandFailed(`the shape of the rack ${rack} is not known: set it with \`${how}\`, or add --slots <n>`);
}

type Do = (effect: Effect, state: WalkState) => Promise<WalkEvent | undefined>;

/** Until the last slot, q, or the end of the input. What an effect brings is dealt with before the next input. */
async function go(begun: WalkState, inputs: Inputs, perform: Do): Promise<WalkState> {
  let state = begun;
  const work = [...opening(state)];
  for (;;) {
    for (let effect = work.shift(); effect !== undefined; effect = work.shift()) {
      const event = await perform(effect, state);
      if (event === undefined) continue;
      const next = step(state, event);
      state = next.state;
      work.push(...next.effects);
    }
    if (state.isOver) return state;
    const input = await inputs.next();
    const next = step(state, input ?? { kind: 'typed', text: 'q' });
    state = next.state;
    work.push(...next.effects);
  }
}

type Parts = {
  readonly lights: Lights;
  readonly locations: LocationService;
  readonly flags: WalkFlags;
  readonly context: CliContext;
};

function createDoer({ locations, lights, flags, context }: Parts): Do {
  const { stdout, stderr } = context;
  const paint = painter(stderr);
  const say = (text: string) => void stderr.write(`${text}\n`);
  return async (effect, state) => {
    switch (effect.kind) {
      case 'say':
        return void say(effect.text);
      case 'show':
        return void say(slotText(effect.slot, state, paint));
      case 'report': {
        const { slot, placed } = effect;
        const line = {
          slot: slot.label,
          rack: state.rack,
          position: slot.position,
          miner_id: placed.id,
          ip: placed.ip,
        };
        stdout.write(flags.json ? `${JSON.stringify(line)}\n` : `${slot.label}  ${placed.ip}\n`);
        return undefined;
      }
      case 'try':
      case 'place':
        return orRefused(async () => {
          const { wanted, slot } = effect;
          const placement = { miner: wanted.miner, rack: state.rack, position: slot.position };
          const isDryRun = effect.kind === 'try';
          const { data: moves, meta } = await locations.place([placement], { swap: true, isDryRun });
          if (isDryRun) return { kind: 'tried', wanted, moves };
          return { kind: 'placed', changeId: meta.change_id, moves };
        });
      case 'undo':
        return orRefused(async () => ({ kind: 'undone', moves: (await locations.undo(effect.changeId)).data }));
      case 'find-likely':
        return orRefused(async () => {
          return { kind: 'likely', candidates: likelyMiners(state, await locations.listMiners()) };
        });
      case 'light': {
        const { id, ip } = effect.candidate;
        if (effect.on) return { kind: 'lit', problem: await lights.on(id) };
        return void lights.off(id, ip);
      }
    }
  };
}

/** What the service refuses, or that it does not answer, ends no walk. */
async function orRefused(work: () => Promise<WalkEvent>): Promise<WalkEvent> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandFailed) && !(error instanceof PeerError)) throw error;
    return { kind: 'refused', message: renderError(error).replace(/^.*?miners\[0\]: /s, '') };
  }
}

function slotText({ label, row, column, holder }: WalkSlot, { slots, at }: WalkState, paint: Paint): string {
  const where = row === null || column === null ? '' : `   row ${row}, column ${column}`;
  return [
    '',
    `${paint(['bold', 'inverse'], `   ${label}   `)}${where}   (${at + 1} of ${slots.length})`,
    holder === null ? 'empty' : `held by ${holder}`,
    'press its IP button, scan or type it; light, s = skip, u = undo, q = end',
  ].join('\n');
}
