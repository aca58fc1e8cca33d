// Firmware files as the simulated devices of some families take them. They run `version` afterwards.
import { imageOf } from '../../drivers/_farm/image.ts';
import { bundleOf } from '../unit/drivers/bundle-file.ts';

/** Of Antminers: one file for every control board and hashboard that is simulated. */
export const antminerBundle = (version: string): Buffer =>
  bundleOf(
    [
      ['Antminer S19 Pro', 'CVCtrl_BHB42601'],
      ['Antminer S19j Pro', 'AMLCtrl_BHB42601'],
      ['Antminer S19', ''],
      ['Antminer S21', 'AMLCtrl_BHB68601'],
      ['Antminer S21 Pro', 'AMLCtrl_BHB68801'],
    ].map(([model = '', boards = '']) => ({
      model,
      hardware: boards,
      payload: `firmware "${version}" for ${boards === '' ? model : boards}`,
    })),
  );

/** An application as AxeOS takes it. */
export function axeosApplication(version: string): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(64), imageOf(version)]);
  bytes[0] = 0xe9;
  bytes.writeUInt32LE(0xabcd5432, 32);
  return bytes;
}
