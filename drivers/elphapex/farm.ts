// Elphapex with the maker's firmware, as variants of the farm.
import type { SimulatedDevices, Variant } from '../_farm/device.ts';
import { textReport } from '../_farm/ip-report.ts';
import { ELPHAPEX_MODELS } from './farm.data.ts';
import { elphapexTruth } from './farm-facts.ts';
import { elphapexWebServer } from './farm-web.ts';

const ELPHAPEX_VARIANTS: readonly Variant[] = ELPHAPEX_MODELS.map((model) => ({
  family: 'elphapex',
  driver: 'elphapex',
  spec: model,
  hostname: model.reportedAs,
  login: { user: 'root', password: 'root' },
  servers: (device) => [elphapexWebServer(device, model)],
  truth: (device) => elphapexTruth(device, model),
}));

export const simulated: SimulatedDevices = {
  shares: { elphapex: 4 },
  usual: ELPHAPEX_VARIANTS,
  ipReport: () => textReport(9_999, 'DG_IPREPORT_ONLY'),
};
