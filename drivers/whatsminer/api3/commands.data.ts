// What API 3 is told for each change (atlas 4.3).
const via = 'whatsminer3-write';
const led = (color: string) => ({ color, period: 200, duration: 100, start: 0 }) as const;

/** Which answer has what is asked before a change. */
export const ABOUT = { power: 'info3', limit: 'summary3', board: 'info3' } as const;

/** What firmware that does not know a command calls it. */
export const OLDER: Readonly<Record<string, string>> = { 'set.miner.power_mode': 'set.miner.mode' };

export const COMMANDS = {
  reboot: [{ via, cmd: 'set.system.reboot' }],
  lightOn: [{ via, cmd: 'set.system.led', param: [led('red'), led('green')] }],
  lightOff: [{ via, cmd: 'set.system.led', param: 'auto' }],
  sleep: [{ via, cmd: 'set.miner.service', param: 'stop' }],
  wake: [{ via, cmd: 'set.miner.service', param: 'start' }],
  restart: [{ via, cmd: 'set.miner.service', param: 'restart' }],
  mode: {
    low: [{ via, cmd: 'set.miner.power_mode', param: 'low' }],
    normal: [{ via, cmd: 'set.miner.power_mode', param: 'normal' }],
    high: [{ via, cmd: 'set.miner.power_mode', param: 'high' }],
  },
  limit: { via, cmd: 'set.miner.power_limit' },
  pools: { via, cmd: 'set.miner.pools', isEncrypted: true },
  password: { via, cmd: 'set.user.change_passwd', isEncrypted: true },
  update: { via, cmd: 'set.system.update_firmware' },
  /** Newer firmware shows it to anybody; where it does not, it is asked for with the login. */
  log: [
    { via: 'whatsminer3', cmd: 'get.log.download', download: 'archive' },
    { via, cmd: 'get.log.download', download: 'archive' },
  ],
} as const;
