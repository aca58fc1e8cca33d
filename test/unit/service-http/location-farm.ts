// A farm of some miners on a rig, and what its clients do with locations.
import { minerRecord } from './records.ts';
import { type Answer, call, type Rig, startOwnedRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

export type LocationFarm = Awaited<ReturnType<typeof startLocationFarm>>;

/** `miners` of them, with the addresses 10.0.0.1 and so on. */
export async function startLocationFarm(miners: number) {
  const { rig, stop } = await startOwnedRig();
  const agent: WireAgent = await connect(rig);
  await agent.report(Array.from({ length: miners }, (_, index) => minerRecord(index + 1, rig.clock.nowMs())));
  return { rig, stop, agent, ...callsOf(rig) };
}

export function callsOf(rig: Rig, key = rig.key) {
  const base = `${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(base + path, {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    ask,
    change: (csv: string, isDryRun = false) =>
      call(`${base}/miner-positions?dry_run=${isDryRun}`, {
        ...{ method: 'POST', headers: { 'x-api-key': key, 'content-type': 'text/csv' }, body: csv },
      }),
    place: (...miners: readonly object[]) => ask('POST', '/location-changes', { miners }),
    /** `ip rack-position` of every miner that stands somewhere. */
    async standing(): Promise<string[]> {
      const { body } = await ask('GET', '/locations?page_size=1000');
      return body.data.flatMap(({ ip, rack, position }: Record<string, string | number | null>) =>
        rack === null ? [] : [`${ip} ${rack}-${position}`],
      );
    },
  };
}

export const SHAPE = { rows: 2, columns: 3, first: 'bottom-left', direction: 'rows', serpentine: true };
