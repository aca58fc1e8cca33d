// Temperature limits of models that differ from the general ones, in degrees Celsius. Evidence: anomaly catalogue 1.3 (values that farm software
// ships) and field practice 9 (vendor pages). The config file may override each.
import type { TemperatureLimits } from './settings.ts';

export const MODEL_TEMPERATURE_LIMITS: Readonly<Record<string, TemperatureLimits>> = {
  // Chips of the S21 line run at 90 to 97 when healthy and trip soon after 100.
  S21: { chipMaxC: 100 },
  'S19 XP HYDRO': { boardMaxC: 80, inletMaxC: 45, inletMinC: 20 },
  'S19 XP HYD': { boardMaxC: 80, inletMaxC: 45, inletMinC: 20 },
  'S19 XP': { outletMaxC: 75 },
  // The chips of this line report far higher values than others.
  A1346: { chipMaxC: 120 },
  '1346': { chipMaxC: 120 },
};
