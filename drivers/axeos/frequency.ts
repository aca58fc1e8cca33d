// The frequency of an AxeOS machine as its only power mode (atlas 25.4): a preset such as `525 MHz`. Voltage, fan and
// heat stay the firmware's affair.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { SO_ALREADY, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { changeAndRestart, DEADLINE_MS, get, readInfo } from './send.ts';

const WHAT = 'set the frequency of';
/** Beyond these no such chip runs. */
const [MIN_MHZ, MAX_MHZ] = [50, 1_200];

/** Whole MHz; undefined for other words. */
export function mhzOf(preset: string): number | undefined {
  const digits = /^\s*(\d{2,4})\s*MHz\s*$/i.exec(preset)?.[1];
  const mhz = Number(digits);
  return digits !== undefined && mhz >= MIN_MHZ && mhz <= MAX_MHZ ? mhz : undefined;
}

/** Newer builds tell what their chip is made for; nothing else is set on them. */
export async function setFrequency(link: MinerLink, mhz: number): Promise<ActResult> {
  const { frequency } = await readInfo(link, WHAT);
  if (frequency === mhz) return SO_ALREADY;
  const options = await optionsOf(link);
  if (options !== undefined && !options.includes(mhz)) {
    throw unsupported(link, `set ${mhz} MHz on`, `it has ${options.join(', ')} MHz`);
  }
  return changeAndRestart(link, WHAT, { frequency: mhz });
}

const chip = z.looseObject({ frequencyOptions: z.array(z.number()).min(1).max(64) });

async function optionsOf(link: MinerLink): Promise<readonly number[] | undefined> {
  try {
    return chip.safeParse(await link.send(get('/api/system/asic'), { deadlineMs: DEADLINE_MS })).data?.frequencyOptions;
  } catch (error) {
    // Older builds do not have the page; some lead to their start page instead.
    if (error instanceof PeerError) return undefined;
    throw error;
  }
}
