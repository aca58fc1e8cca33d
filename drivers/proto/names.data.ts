// Under which names a Proto rig writes what is read as it stands.

/** Of `mining-status`, `system-info`, `cb-info` and `network-info`. */
export const MACHINE = {
  mac: ['mac', 'mac_address'],
  serialNumber: ['cb_sn', 'serial_number'],
  controllerSerialNumber: ['cb_sn', 'serial_number'],
  hostname: ['hostname'],
  model: ['model'],
  controlBoard: ['board'],
  powerW: ['power_usage_watts'],
  uptimeS: ['mining_uptime_s'],
  systemUptimeS: ['reboot_uptime_s'],
} as const;
