// Checks of what a driver reads of simulated devices: in good health, asleep and with the faults that most have, it
// reads what the device says of itself; and it goes on reading when the device has ended the session.
import { VisitMemory } from '../../visit/memory.ts';
import { type Check, type Problem, problem } from '../finding.ts';
import { type CheckedDevice, type DeviceSubject, type Kind, look, type StateFault, withFault } from './bench.ts';
import { untrue } from './truth.ts';

const FAULTS: readonly StateFault[] = [
  'board-dead',
  'fan-stopped',
  'hot',
  'low-hashrate',
  'pool-dead',
  'psu-fault',
  'vendor-error',
  'heat-stop',
];

type State = {
  readonly name: string;
  readonly from: (device: CheckedDevice) => void;
  readonly back: (device: CheckedDevice) => void;
};

const STATES: readonly State[] = [
  { name: 'healthy', from: () => {}, back: () => {} },
  { name: 'asleep', from: (device) => device.setMode('sleep'), back: (device) => device.setMode('normal') },
  ...FAULTS.map((fault) => ({
    name: `with ${fault}`,
    from: (device: CheckedDevice) => device.setFault(fault, true),
    back: (device: CheckedDevice) => device.setFault(fault, false),
  })),
];

/** The device is as it was afterwards. */
async function inState(subject: DeviceSubject, kind: Kind, { name, from, back }: State): Promise<Problem[]> {
  const { bench, folder } = subject;
  const device = bench.take(kind);
  from(device);
  try {
    const { reading, unparsable } = await look(subject, kind, device);
    const lines = [
      ...untrue(reading, device.truth()),
      ...(unparsable.length > 0 ? [`the answers to ${unparsable.join(', ')} made no sense to it`] : []),
    ];
    const next = `correct \`read\` in ${folder}, or farm.ts there if a real device answers otherwise`;
    return lines.map((line) => problem(`${kind.family} ${kind.model} ${name}: ${line}`, next));
  } finally {
    back(device);
    bench.giveBack(kind, device);
  }
}

const truth: Check<DeviceSubject> = {
  name: 'device-read',
  owes: 'of each simulated model, in each state, what the device says of itself',
  async run(subject) {
    const found: Problem[] = [];
    for (const kind of subject.bench.kinds)
      for (const state of STATES) found.push(...(await inState(subject, kind, state)));
    return found;
  },
};

/**
 * Devices end sessions when they like, and some then answer with status 200 and a login page, or a word. A later poll
 * reads what the first one read.
 */
const session: Check<DeviceSubject> = {
  name: 'device-session',
  owes: 'the same reading after the device has ended its session, also where it says so with status 200',
  async run(subject) {
    const { bench, folder, driver } = subject;
    const found: Problem[] = [];
    for (const kind of bench.kinds) {
      const device = bench.take(kind);
      await look(subject, kind, device, new VisitMemory());
      await withFault(device, 'sessions-end', async () => {});
      const { reading, unparsable } = await look(subject, kind, device, new VisitMemory());
      const lines = [
        ...untrue(reading, device.truth()),
        ...(unparsable.length > 0 ? [`the answers to ${unparsable.join(', ')} made no sense to it`] : []),
      ];
      const next = `let \`isRefused\` of the session in ${folder} know that answer: the core then logs in anew (login is '${driver.login.kind}')`;
      found.push(
        ...lines.map((line) => problem(`${kind.family} ${kind.model} after its session ended: ${line}`, next)),
      );
      bench.giveBack(kind, device);
    }
    return found;
  },
};

const identity: Check<DeviceSubject> = {
  name: 'device-identity',
  owes: 'who each simulated model is, by the shared questions alone, and nothing that is not so',
  async run(subject) {
    const { bench, folder, exceptions } = subject;
    // Of some fields a first answer knows less than all of them.
    const lesser = new Set(exceptions.prefers?.flatMap(({ fields }) => fields));
    const found: Problem[] = [];
    for (const kind of bench.kinds) {
      const device = bench.take(kind);
      const said = await bench.identify(kind, device);
      const truth = device.truth();
      const place = `${kind.family} ${kind.model}`;
      if (said.confidence === 'likely')
        found.push(problem(`${place} is only likely`, `let its answers prove the family: \`families\` in ${folder}`));
      const pairs = [
        ['make', said.make, truth.make],
        ['model', said.model, truth.model],
        ['firmwareVersion', said.firmwareVersion, truth.firmware_version],
        ['mac', said.mac?.toUpperCase().replaceAll(/[^0-9A-F]/g, ''), truth.mac.replaceAll(':', '')],
        ['serialNumber', said.serialNumber, truth.serial_number],
      ] as const;
      for (const [field, value, wanted] of pairs)
        if (value !== undefined && wanted !== null && value !== wanted && !lesser.has(field))
          found.push(problem(`${place} has ${field} ${value}, and is ${wanted}`, `correct \`identify\` in ${folder}`));
      bench.giveBack(kind, device);
    }
    return found;
  },
};

export const STATE_CHECKS: readonly Check<DeviceSubject>[] = [identity, truth, session];
