// Goldshell as variants of the farm: with its TCP API, and with its page alone.
import type { SimulatedDevices } from '../_farm/device.ts';
import { textReport } from '../_farm/ip-report.ts';
import { GOLDSHELL_PAGE_VARIANTS } from './farm-page.ts';
import { GOLDSHELL_VARIANTS } from './farm-web.ts';

export const simulated: SimulatedDevices = {
  shares: { goldshell: 3 },
  usual: GOLDSHELL_VARIANTS,
  rare: GOLDSHELL_PAGE_VARIANTS,
  ipReport: ({ ip, mac, model, serial_number: ctrlsn, firmware_version: version }) =>
    textReport(1_314, JSON.stringify({ version, ip, dhcp: 'dhcp', model, ctrlsn, mac, cpbsn: [], ledstatus: false })),
};
