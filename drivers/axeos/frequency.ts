// The frequency of an AxeOS machine as its only power mode (atlas 25.4): a preset such as `525 MHz`. Voltage, fan and
// heat stay the firmware's affair.
import * as kit from '../../src/driver/kit/index.ts';
import { changeAndRestart, readInfo } from './send.ts';

/** Beyond these no such chip runs. */
const [MIN_MHZ, MAX_MHZ] = [50, 1_200];

/** Whole MHz; undefined for other words. */
export const mhzOf = (preset: string): number | undefined =>
  kit.toNumber(/^\s*(\d{2,4})\s*MHz\s*$/i.exec(preset)?.[1], { min: MIN_MHZ, max: MAX_MHZ });

/** Newer builds tell what their chip is made for; nothing else is set on them. */
export async function setFrequency(link: kit.MinerLink, mhz: number): Promise<kit.ActResult> {
  const what = 'set the frequency of';
  const info = await readInfo(link, what);
  if (info.number('frequency') === mhz) return kit.SO_ALREADY;
  // Older builds do not have the page; some lead to their start page instead.
  const chip = await kit.orElse(
    () => link.send(kit.get('/api/system/asic')),
    () => undefined,
  );
  const options = new kit.Answer(chip).list('frequencyOptions')?.filter((option) => typeof option === 'number') ?? [];
  if (options.length > 0 && !options.includes(mhz)) {
    throw kit.unsupported(link, `set ${mhz} MHz on`, `it has ${options.join(', ')} MHz`);
  }
  return changeAndRestart(link, what, { frequency: mhz });
}
