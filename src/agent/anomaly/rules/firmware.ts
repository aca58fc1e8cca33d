// Firmware: a version outside what the site accepts. Checksum and signature faults come from the device's own codes (vendor.ts).
import type { Facts, Rule, Verdict } from '../rule.ts';

function notAllowed({ reading, settings }: Facts): Verdict {
  const { allowed } = settings.firmware;
  const version = reading?.firmwareVersion;
  if (allowed.length === 0) return 'clear';
  if (version === undefined) return 'no-data';
  if (allowed.some((start) => version.startsWith(start))) return 'clear';
  return {
    value: version,
    limit: allowed.slice(0, 4).join(', '),
    source: 'firmwareVersion',
    severity: 'minor',
    message: `firmware ${version} is not one that this site accepts`,
  };
}

export const FIRMWARE_RULES: readonly Rule[] = [{ id: 'firmware.not-allowed', type: 'firmware', evaluate: notAllowed }];
