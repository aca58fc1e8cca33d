// A miner for programs: one object per line. Names and units of the API, times in UTC; null = not known.
import { type BoardMiner, flagsOf } from '../../../model/board/board-miner.ts';
import { measuredOf } from '../../../model/board/measured.ts';

export function minerJson(miner: BoardMiner) {
  const { hashrateHs, powerW, tempC, fanRpm, uptimeS } = measuredOf(miner);
  const { firstFlag } = miner;
  return {
    id: miner.id,
    ip: miner.ip,
    mac: miner.mac,
    serial_number: miner.serial,
    hostname: miner.hostname,
    make: miner.make,
    model: miner.model,
    algorithm: miner.algorithm,
    container: miner.container,
    rack: miner.rack,
    position: miner.position,
    driver: miner.driver,
    firmware_version: miner.firmware,
    ops_status: miner.opsStatus,
    mining_mode: miner.mode,
    is_mining: miner.isMining,
    is_online: miner.isOnline,
    is_unknown: miner.isUnknown,
    is_hung: miner.isHung,
    flags: flagsOf(miner),
    flag:
      firstFlag === null
        ? null
        : {
            type: firstFlag.type,
            severity: firstFlag.severity,
            message: firstFlag.message,
            since: iso(firstFlag.sinceMs),
          },
    hashrate_hs: hashrateHs,
    expected_hashrate_hs: miner.expectedHs,
    power_w: powerW,
    temp_c: tempC,
    fan_rpm: fanRpm,
    uptime_s: uptimeS,
    pool: miner.pool,
    worker: miner.worker,
    agent_id: miner.agentId,
    seen_at: iso(miner.seenAtMs),
    created_at: iso(miner.createdAtMs),
  };
}

const iso = (atMs: number | null) => (atMs === null ? null : new Date(atMs).toISOString());
