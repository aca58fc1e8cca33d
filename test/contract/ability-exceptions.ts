// What the matrix of abilities cannot show, each with its reason: abilities that a family has not, and cases that
// cannot occur on it. A row that is no longer needed fails the test.
import type { AbilityName } from '../../src/driver/contract.ts';

export const CASES = ['accepted', 'refused', 'lied about', 'lost reply'] as const;
export type Case = (typeof CASES)[number];

/**
 * Drivers that have not an ability: nothing is sent, the task is refused as unsupported. The reason says whether the
 * makers have a way that we do not go, or none is known.
 */
export const LACKING: Readonly<Record<string, Readonly<Partial<Record<AbilityName, string>>>>> = {
  'auradine-fluxos': { log: 'no call is known that gives one' },
  avalon: { firmware: 'no way is known', log: 'no way is known' },
  axeos: { log: 'no way is known' },
  cgminer: every('nobody knows what is behind it, so it is only read'),
  elphapex: { firmware: 'no way is known', log: 'no way is known' },
  futurebit: {
    light: 'no way is known',
    pools: 'no way is known',
    firmware: 'no way is known',
    log: 'no way is known',
  },
  goldshell: every('its login would put the password into an address'),
  hammer: { powerMode: 'no way is known', firmware: 'no way is known', log: 'no way is known' },
  hiveon: { firmware: 'no way is known', log: 'no way is known' },
  iceriver: {
    powerMode: 'the page has one: it waits for a recording',
    firmware: 'the page has one: it waits for a recording',
  },
  innosilicon: {
    light: 'no way is known',
    powerMode: 'no way is known',
    firmware: 'no way is known',
    log: 'no way is known',
  },
  luxos: { log: 'no way is known' },
  mara: { firmware: 'no way is known' },
  mskminer: every('how it is controlled is not known'),
  sealminer: { firmware: 'no way is known', log: 'no way is known' },
  volcminer: {
    light: 'no way is known',
    powerMode: 'no way is known',
    firmware: 'no way is known',
    log: 'no way is known',
  },
};

function every(reason: string): Readonly<Record<AbilityName, string>> {
  return { reboot: reason, light: reason, powerMode: reason, pools: reason, firmware: reason, log: reason };
}

const NO_ORDERS = 'firmware that answers over TCP only can be stopped and started, and told nothing else';
const OLD_AXE = 'builds of this make do not know the call';

/** Simulated families whose driver has the ability, for others of its families: refused before anything is changed. */
export const NOT_OF_FAMILY: Readonly<Record<string, string>> = {
  'avalon-home light': 'some home models have one: only the device knows, and says no',
  'blackminer pools': 'its page takes coin and clock along with the pools',
  'braiins-graphql firmware': 'GraphQL has no way to send a file',
  'braiins-tcp reboot': NO_ORDERS,
  'braiins-tcp light': NO_ORDERS,
  'braiins-tcp pools': NO_ORDERS,
  'braiins-tcp firmware': NO_ORDERS,
  'braiins-tcp log': NO_ORDERS,
  'nerdaxe light': OLD_AXE,
  'luckyminer light': OLD_AXE,
};

/** Of these, the ones where the device itself has to say no: nothing has changed all the same. */
export const DEVICE_DECIDES: ReadonlySet<string> = new Set(['avalon-home light']);

/** `<family> <ability> <case>`. */
export const CANNOT_SHOW: Readonly<Record<string, string>> = {
  'epic log refused': 'its log is for everybody',
  'whatsminer-3 log refused': 'it shows its log to anybody',
  'vnish log refused': 'the versions that are simulated show it to anybody',
  'bitaxe light lied about': 'it blinks for a while and tells nobody: there is nothing to read back',
  'proto light lied about': 'it blinks for a while and tells nobody: there is nothing to read back',
};
