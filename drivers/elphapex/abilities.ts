// What an Elphapex can be told: reboot, light, sleep and wake, pools (atlas 20).
import { light, reboot } from '../_dialects/bitmain-actions.ts';
import { type ConfDialect, confMode, confPools, inAllPlaces, likeBefore } from '../_dialects/bitmain-conf.ts';

const MODE = 'fc-work-mode';
/** Others exist; their meaning is unknown. */
const NUMBERS: Readonly<Record<string, number>> = { normal: 0, sleep: 1 };

const dialect: ConfDialect = {
  numberOf: (mode) => NUMBERS[mode],
  modeOf: (conf) => conf.number(MODE, { min: 0, max: 99 }),
  /** It has keys of its own: all go back as they were read. */
  body: (conf, { mode, pools }) => ({
    ...conf.fields,
    ...(mode !== undefined && { [MODE]: likeBefore(conf.value(MODE), mode) }),
    ...(pools && { pools: inAllPlaces(pools) }),
  }),
};

export const abilities = {
  reboot,
  light: light((on) => on),
  powerMode: confMode(dialect),
  pools: confPools(dialect.body),
};
