// Turns the answers of one LuxOS miner into a Reading (atlas 7).
import * as kit from '../../src/driver/kit/index.ts';
import { readStats, type Stats, statsType, toWatts } from '../_dialects/bitmain.ts';
import { toFans } from '../_dialects/bitmain-fans.ts';
import { boardsOf } from './boards.ts';
import { EVENTS } from './errors.data.ts';

type Polled = 'summary' | 'devs' | 'stats' | 'temps' | 'power';
type Answers = Readonly<Record<Polled | 'pools' | 'fans' | 'config' | 'events' | 'version' | 'profiles', kit.Answer>>;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const config = answers.config.row('CONFIG');
  const version = answers.version.row('VERSION');
  const summary = answers.summary.row('SUMMARY');
  const reported = kit.first(config.text('Model'), version.text('Type'), statsType(answers.stats), known.model);
  // LuxOS names the hardware as its maker's own firmware does.
  const model = kit.findAntminer(reported);
  const stats = readStats(answers.stats, model);
  const profile = config.text('Profile', 64);
  const profileRow = answers.profiles.rows('PROFILES', 256)?.find((row) => row.text('Profile Name', 64) === profile);
  const psu = config.text('PSULabel');
  return {
    mac: config.asWritten('MACAddr'),
    serialNumber: config.asWritten('SerialNumber'),
    hostname: config.text('Hostname'),
    model: model?.model ?? reported,
    firmwareVersion: version.text('Miner'),
    apiVersion: version.text('API'),
    controlBoard: config.text('ControlBoardType'),

    ...kit.hashrates(summary),
    powerW: toWatts(answers.power.row('POWER').value('Watts')),
    powerLimitW: profile === undefined ? undefined : toWatts(profileRow?.value('Watts')),
    uptimeS: kit.first(summary.seconds('Elapsed'), stats.elapsedS),
    deviceTimeS: kit.whenS(answers.summary),

    ...(isAsleep(config) && { isMining: false }),
    miningMode: modeOf(config),
    miningModePreset: profile,
    isLightOn: light(config),

    ...boardsOf(answers, stats),
    fans: fans(stats, answers.fans, isLiquid(config) ? 0 : model?.expected.fans),
    psus: psu === undefined ? undefined : [{ model: psu }],
    pools: kit.cgminerPools(answers.pools),
    errors: answers.events.rows('EVENTS', 64)?.map(event),
    expected: expectation(model?.expected, config, stats),
  };
}

export function isAsleep(config: kit.Answer): boolean {
  const word = config.text('CurtailMode', 32);
  return word !== undefined && !kit.isNoFault(word);
}

export const isDefaultProfile = (config: kit.Answer) => config.word('Profile', ['default']) !== undefined;

/** Profiles other than the default are presets and no mode of ours. */
function modeOf(config: kit.Answer) {
  if (isAsleep(config)) return 'sleep';
  return isDefaultProfile(config) ? 'normal' : undefined;
}

/** `auto` is the firmware's own use of the lamp. A green one that shines steadily may be that too. */
function light(config: kit.Answer): boolean | undefined {
  const [red, green] = [config.text('RedLed', 16)?.toLowerCase(), config.text('GreenLed', 16)?.toLowerCase()];
  if (red === undefined && green === undefined) return undefined;
  return red === 'blink' || red === 'on' || green === 'blink';
}

function isLiquid(config: kit.Answer): boolean {
  const cooling = config.text('Cooling', 32);
  return config.bool('ImmersionMode') === true || (cooling !== undefined && !/air/i.test(cooling));
}

/**
 * Speeds from `stats`, which is asked at each poll, and the duty from `fans`, whose ID is the place in `stats` (`fan1`
 * is ID 0).
 */
function fans({ fanSlots, fanCount }: Stats, answer: kit.Answer, usual: number | undefined) {
  const listed = answer.rows('FANS', 32) ?? [];
  const ofPlace = (id: number) => listed.find((row) => row.int('ID', { min: 0, max: 31 }) === id);
  const ids = listed.map((row) => row.int('ID', { min: 0, max: 31 }));
  const speeds = Array.from({ length: (kit.largest(ids) ?? -1) + 1 }, (_, id) => ofPlace(id)?.rpm('RPM'));
  const slots = fanSlots.length > 0 ? fanSlots : speeds;
  if (slots.length === 0) return undefined;
  const found = toFans(slots, usual ?? fanCount ?? listed.length);
  if (found.length !== listed.length) return found;
  return found.map((fan) => ({ ...fan, dutyPercent: ofPlace(fan.index)?.percent('Speed') }));
}

/** An unknown code is kept with the device's words. The message says what it is about. */
function event(row: kit.Answer): kit.ErrorDraft | undefined {
  const code = row.asWritten('Code');
  if (code === undefined) return undefined;
  const isSevere = /FAILURE|PANIC|SHUTDOWN/i.test(code);
  const { category = 'unknown', severity = isSevere ? 'major' : 'minor', message } = EVENTS[code] ?? {};
  const target = row.text('Target', 32);
  const index = target?.toUpperCase() === 'MINER' ? undefined : row.int('ID', { min: 0, max: 999 });
  const about = [target, index].filter((part) => part !== undefined).join(' ');
  const words = row.text('Description') ?? message;
  return { code, category, severity, message: words && (about === '' ? words : `[${about}] ${words}`), index };
}

/** The figure of the profile that is set; the nameplate holds only for the default profile. */
function expectation(table: kit.Expectation | undefined, config: kit.Answer, { idealHs }: Stats) {
  const nameplateHs = kit.rateHs(config.positive('NameplateTHS', 1e6), 'T') ?? table?.hashrateHs;
  return {
    ...table,
    ...(isLiquid(config) && ({ fans: 0, cooling: 'liquid' } as const)),
    hashrateHs: idealHs ?? (modeOf(config) === 'normal' ? nameplateHs : undefined),
  };
}
