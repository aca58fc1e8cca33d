// What API 2 is told for each change (atlas 4.2). These commands are off by default and stay off until the owner switches them on with the
// maker's tool: we report that and work around nothing.
const via = 'whatsminer2-write';
const led = (color: string) => ({ color, period: 200, duration: 100, start: 0 }) as const;

/** Which answer has what is asked before a change. */
export const ABOUT = { power: 'status', limit: 'summary', board: 'getVersion' } as const;

export const COMMANDS = {
  reboot: [{ via, cmd: 'reboot', params: { respbefore: 'true' } }],
  lightOn: [
    { via, cmd: 'set_led', params: led('red') },
    { via, cmd: 'set_led', params: led('green') },
  ],
  lightOff: [{ via, cmd: 'set_led', params: { param: 'auto' } }],
  sleep: [{ via, cmd: 'power_off', params: { respbefore: 'true' } }],
  wake: [{ via, cmd: 'power_on', params: {} }],
  restart: [{ via, cmd: 'restart_btminer', params: {} }],
  mode: {
    low: [{ via, cmd: 'set_low_power', params: {} }],
    normal: [{ via, cmd: 'set_normal_power', params: {} }],
    high: [{ via, cmd: 'set_high_power', params: {} }],
  },
  limit: { via, cmd: 'adjust_power_limit' },
  pools: { via, cmd: 'update_pools' },
  update: { via, cmd: 'update_firmware', params: {} },
  password: { via, cmd: 'update_pwd' },
  log: [{ via, cmd: 'download_logs', params: {}, download: 'archive' }],
} as const;
