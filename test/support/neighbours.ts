// What the network of a simulated farm says of an address: loopback itself has no neighbours.
import type { Farm } from '../../fixtures/farm/farm.ts';

/** The MAC of the device there, whatever the device tells; undefined when there is none. */
export function neighbourAt(farm: Pick<Farm, 'device'>, ip: string): { mac: string; isShared: boolean } | undefined {
  const device = farm.device(ip);
  return device?.networkMac === undefined ? undefined : { mac: device.networkMac, isShared: false };
}
