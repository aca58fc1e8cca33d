// What the running agent does for callers at its control socket: through its own task queue, scanner and device
// mutexes, so that its limits hold for people of this host too. It opens no socket.
import pLimit from 'p-limit';
import { RefusedError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { readRanges } from '../../base/net/ranges.ts';
import type { Captures } from '../capture/captures.ts';
import { lookWith } from '../capture/look.ts';
import type { DeviceClient } from '../device/device-client.ts';
import type { MinerRegistry } from '../fleet/identity/miner-registry.ts';
import { createSettlement } from '../fleet/settlement.ts';
import type { AllowSettings } from '../tasks/settings.ts';
import { createAgentBoard } from './handlers/board.ts';
import { createIdentities } from './handlers/identities.ts';
import { createLookHandlers } from './handlers/look-handlers.ts';
import { NamedMiners, RECOGNISED_AT_ONCE } from './handlers/named-miners.ts';
import { type AskService, createServiceRequests } from './handlers/service-requests.ts';
import { createTaskHandlers } from './handlers/task-handlers.ts';
import { agentStatus, type StateParts } from './status.ts';

/** What came of reading the configuration anew: sections that are different now, and settings that take a restart. */
export type Reloaded = { readonly changed: readonly string[]; readonly needsRestart: readonly string[] };

/** Each refuses with RefusedError; its code and its message are for the caller. */
export type ControlHandlers = ReturnType<typeof createControlHandlers>;

export function createControlHandlers(
  parts: StateParts & {
    readonly log: Log;
    readonly config: { readonly tasks: AllowSettings };
    readonly client: DeviceClient;
    readonly registry: Pick<MinerRegistry, 'get' | 'byIp' | 'disputes' | 'undecided' | 'settle'>;
    readonly neighbours: Parameters<typeof createSettlement>[0]['neighbours'];
    readonly emit: Parameters<typeof createSettlement>[0]['emit'];
    readonly pollNow: (key: string) => void;
    readonly poolFacts: Parameters<typeof createTaskHandlers>[0]['poolFacts'];
    readonly captures: Captures;
    readonly mayReach: (ip: string) => boolean;
    readonly newId: () => string;
    readonly reload: (() => Reloaded) | undefined;
    /** Undefined where the service runs elsewhere. */
    readonly askService: AskService | undefined;
    /** Resolves when the drivers of the folder are those that lie there. */
    readonly driversTaken: () => Promise<void>;
  },
) {
  const { clock, log, client, fleet, registry, scanning, mayReach, neighbours, emit, pollNow } = parts;
  const board = createAgentBoard(parts);
  const named = new NamedMiners({ ...parts, miners: board.miners });
  const looking = pLimit(RECOGNISED_AT_ONCE);
  const settlement = createSettlement({
    ...{ clock, log, registry, fleet, mayReach, neighbours, emit, pollNow },
    meet: (ips, signal) => named.meet(ips, signal),
    isAnswering: (ip, signal) =>
      looking(async () => {
        const { status } = await lookWith(client, scanning.planFor(readRanges([ip], [])), ip, signal);
        return status !== 'silent' && status !== 'missing' && status !== 'closed';
      }),
  });
  return {
    ...createIdentities({ clock, registry, settlement, name: (names) => named.known(names) }),
    ...createTaskHandlers(parts, named),
    ...createLookHandlers(parts),
    ...createServiceRequests(parts.askService),
    state: () => agentStatus(parts),
    board: board.board,
    /** Throws ConfigError too, and then nothing has changed. */
    async reload() {
      if (parts.reload === undefined) throw new RefusedError('reload.unable');
      const { changed, needsRestart } = parts.reload();
      await parts.driversTaken();
      const loaded = parts.folder.entries().map(({ id }) => id);
      return { changed, needs_restart: needsRestart, drivers: { loaded, refused: parts.folder.refused() } };
    },
  };
}
