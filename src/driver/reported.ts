// What no driver's reading may say, whatever the device wrote: that parts are missing because a list was empty, no
// chips on a board that hashes, and names, pools and faults that are none.
import { serialState } from '../model/identity-facts.ts';
import type { BoardReading, ErrorReading, PoolReading, Reading } from '../model/reading.ts';
import { isFiller, isFillerName, isNoFault } from './fields.ts';

const NAMES = ['hostname', 'make', 'model', 'firmwareVersion', 'apiVersion', 'controlBoard'] as const;

/** Without what only looks like an answer. The same object where nothing does, which is nearly always. */
export function withoutFillers(reading: Reading): Reading {
  const named = withoutNamelessParts(withoutFillerNames(withoutEmptyLists(reading)));
  return withoutNoFaults(withoutNoPools(withoutRefuted(named)));
}

/** The same without a name that is none. */
export function withoutFillerNames<T extends { readonly [K in (typeof NAMES)[number]]?: string | undefined }>(
  reading: T,
): T {
  const empty = NAMES.filter((name) => {
    const value = reading[name];
    return value !== undefined && isFillerName(value);
  });
  if (empty.length === 0) return reading;
  const rest = { ...reading };
  for (const name of empty) delete rest[name];
  return rest;
}

/**
 * A list without entries is silence: a device that answers has its boards, fans and power supplies, whether it lists
 * them or not. But no boards beside a rate of 0 may be all that is left, and no fans are the build of what liquid
 * cools.
 */
function withoutEmptyLists(reading: Reading): Reading {
  const { boards, fans, psus, expected } = reading;
  const isSilent = {
    boards: boards?.length === 0 && reading.hashrateHs !== 0,
    fans: fans?.length === 0 && expected?.fans !== 0 && expected?.cooling !== 'liquid',
    psus: psus?.length === 0,
  };
  if (!isSilent.boards && !isSilent.fans && !isSilent.psus) return reading;
  const rest = { ...reading };
  if (isSilent.boards) delete rest.boards;
  if (isSilent.fans) delete rest.fans;
  if (isSilent.psus) delete rest.psus;
  return rest;
}

type Part = { serialNumber?: string | undefined; model?: string | undefined };

const isNoSerial = (text: string | undefined) => text !== undefined && serialState(text) !== 'ok';
const isNoModel = (text: string | undefined) => text !== undefined && isFillerName(text);
const isNameless = ({ serialNumber, model }: Part) => isNoSerial(serialNumber) || isNoModel(model);

function withoutNoName<T extends Part>(part: T): T {
  if (!isNameless(part)) return part;
  const rest = { ...part };
  if (isNoSerial(rest.serialNumber)) delete rest.serialNumber;
  if (isNoModel(rest.model)) delete rest.model;
  return rest;
}

/** Of the parts; that of the miner itself arrives as written, because a filler in its place is a finding of its own. */
function withoutNamelessParts(reading: Reading): Reading {
  const { boards, psus, controllerSerialNumber: controller } = reading;
  if (!isNoSerial(controller) && !boards?.some(isNameless) && !psus?.some(isNameless)) return reading;
  const rest = { ...reading };
  if (isNoSerial(controller)) delete rest.controllerSerialNumber;
  if (boards) rest.boards = boards.map((board) => withoutNoName(board));
  if (psus) rest.psus = psus.map((psu) => withoutNoName(psu));
  return rest;
}

function withoutNoFaults(reading: Reading): Reading {
  const { errors } = reading;
  if (!errors?.some(({ code }) => isNoFault(code))) return reading;
  return { ...reading, errors: errors.flatMap(reportedFault) };
}

/** No board hashes without chips. */
function withoutRefuted(reading: Reading): Reading {
  const { boards } = reading;
  return boards?.some(hashesOnNothing) ? { ...reading, boards: boards.map(withoutRefutedChips) } : reading;
}

const hashesOnNothing = ({ chips, hashrateHs = 0 }: BoardReading) => chips === 0 && hashrateHs > 0;

function withoutRefutedChips(board: BoardReading): BoardReading {
  if (!hashesOnNothing(board)) return board;
  const { chips: _, ...rest } = board;
  return rest;
}

/** A place for a pool with a word instead of an address is not set. */
function withoutNoPools(reading: Reading): Reading {
  const { pools } = reading;
  return pools?.some(isNoPool) ? { ...reading, pools: pools.filter((pool) => !isNoPool(pool)) } : reading;
}

const isNoPool = ({ url }: PoolReading) =>
  isFillerName(url.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/:\d*$/, ''));

/**
 * No fault, where its code says that nothing is wrong. An unknown code counts as one when its message names a fault.
 */
function reportedFault(error: ErrorReading): ErrorReading[] {
  const { code, message } = error;
  if (!isNoFault(code)) return [error];
  return isFiller(code) && message !== undefined && !isNoFault(message) ? [{ ...error, code: 'unknown' }] : [];
}
