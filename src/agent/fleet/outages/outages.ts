// Faults that many miners share: one finding with its miners, one event when it begins and one when it ends. It judges
// no miner.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { OFFLINE_SOURCE } from '../../../model/document.ts';
import { type Finding, findingsOf, networkOf, poolKeyOf, poolOfKey } from '../../../model/findings/findings.ts';
import type { Flag } from '../../../model/flags/flags.ts';
import type { EventRecord } from '../../../wire/records.ts';
import type { MinerState } from '../miner-state.ts';
import { type OpenOutage, openOutageStore } from './outage-store.ts';
import { oneOfEach, othersOfReturned } from './returns.ts';
import { type Silent, type Spell, silentTogether } from './silence.ts';

export type OutageMiner = Pick<MinerState, 'key' | 'target' | 'judgement' | 'reported'>;

type Parts = {
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly log: Log;
  /** What the services call this agent. */
  readonly agentIds: readonly string[];
  miners(): Iterable<OutageMiner>;
  /** Operators say that the miner is not meant to mine: its silence is no part of an outage. */
  isOutOfOperation(minerKey: string): boolean;
  pollMs(): number;
  /** Within a poll interval, where the miner would be asked later because it is silent. */
  pollSoon(minerKey: string): void;
  emit(record: EventRecord): void;
};

/** A finding that still grows is not reported yet, so that its event names all its miners; for this long at most. */
const GROWS_MS = 5 * 60_000;
const CONTACT_RULE = 'network.contact';
/** The first of them that is raised counts for a miner. */
const POOL_RULES = ['pool.all-dead', 'pool.no-share', 'pool.rejects', 'pool.first-dead'] as const;

/** Open findings outlast a restart. */
export class Outages {
  readonly #parts: Parts;
  readonly #store: ReturnType<typeof openOutageStore>;
  readonly #open: Map<string, OpenOutage>;
  #current: readonly Finding[] = [];
  /** The key of the finding that each silent miner belongs to. */
  #silenceOf: ReadonlyMap<string, string> = new Map();
  /** Of the polls that find out whether silent miners are back, one per finding at a time. */
  #round = { number: 0, sinceMs: -Infinity };
  /** When the miners of each key fell silent, also of keys that are no finding yet. */
  #spells = new Map<string, Spell>();
  /** The findings that are not reported yet. */
  readonly #growing = new Map<string, Growth>();

  constructor(db: DatabaseSync, parts: Parts) {
    this.#parts = parts;
    this.#store = openOutageStore(db, parts.log);
    this.#open = this.#store.load();
  }

  /** To be called every few seconds. Never throws. */
  look(): void {
    try {
      this.#look();
    } catch (error) {
      this.#parts.log.error({ cause: renderError(error) }, 'look for what many miners suffer from together');
    }
  }

  /** As of the last look, the largest first. */
  current(): readonly Finding[] {
    const sinceOf = ({ key, sinceMs }: Finding) => this.#open.get(key)?.finding.sinceMs ?? sinceMs;
    return this.#current.map((finding) => ({ ...finding, sinceMs: sinceOf(finding) }));
  }

  /** The flags with the key of the finding that the miner's silence belongs to. */
  pointed(minerKey: string, flags: readonly Flag[]): readonly Flag[] {
    const finding = this.#silenceOf.get(minerKey);
    if (finding === undefined) return flags;
    return flags.map((flag) => (flag.source === OFFLINE_SOURCE ? { ...flag, finding } : flag));
  }

  #look(): void {
    const { isOutOfOperation, pollMs } = this.#parts;
    const miners = [...this.#parts.miners()];
    const byNetwork = countBy(miners, ({ target }) => networkOf(target.ip));
    const failing = miners.flatMap((miner) => failingOf(miner, isOutOfOperation));
    for (const [key, { spell }] of this.#open) if (spell !== undefined) this.#spells.set(key, spell);
    const gapMs = 1.5 * pollMs() + 30_000;
    const sizeOfNetwork = (network: string) => byNetwork.get(network) ?? 0;
    const before = this.#silenceOf;
    this.#silenceOf = silentTogether(failing, this.#spells, { gapMs, sizeOf: sizeOfNetwork });
    this.#askSoon(before, miners, new Set(failing.map(({ minerKey }) => minerKey)));
    this.#spells = spellsOf(failing, this.#silenceOf, this.#spells);
    const silent = failing.filter(({ isRaised }) => isRaised);
    const members = [...silent.flatMap(silentMember(this.#silenceOf)), ...miners.flatMap(poolMember)];
    // Nothing else needs the first pool of each miner.
    const byPool = members.some(({ key }) => key.startsWith('pool:')) ? countBy(miners, firstPools()) : new Map();
    const sizeOf = (key: string) => byPool.get(poolOfKey(key)) ?? sizeOfNetwork(key.replace(/^contact:|@.*$/g, ''));
    this.#current = findingsOf(members, sizeOf, (key) => this.#open.has(key));
    for (const finding of this.#current) this.#keep(finding, this.#spells.get(finding.key));
    const keys = new Set(this.#current.map(({ key }) => key));
    for (const key of [...this.#open.keys()]) if (!keys.has(key)) this.#end(key);
  }

  /** The end of an outage is noticed within three poll intervals, however long its miners have been silent. */
  #askSoon(before: ReadonlyMap<string, string>, miners: readonly OutageMiner[], silent: ReadonlySet<string>): void {
    const { clock, pollMs, pollSoon } = this.#parts;
    const returned = miners.flatMap(({ key, judgement }) => (before.has(key) && answers(judgement) ? [key] : []));
    const others = othersOfReturned(before, { silent, returned: new Set(returned) });
    const nowMs = clock.monotonicMs();
    const { number, sinceMs } = this.#round;
    const isNext = nowMs - sinceMs >= pollMs();
    if (isNext) this.#round = { number: number + 1, sinceMs: nowMs };
    for (const key of [...others, ...(isNext ? oneOfEach(this.#silenceOf, number) : [])]) pollSoon(key);
  }

  #keep(finding: Finding, spell: Spell | undefined): void {
    const { key } = finding;
    const before = this.#open.get(key);
    const { outage, hasGrown } = merged(before, finding, spell);
    if (before?.isReported !== true) {
      const nowMs = this.#parts.clock.monotonicMs();
      const growth = grown(this.#growing.get(key), finding.minerCount, nowMs);
      this.#growing.set(key, growth);
      if (isStillGrowing(growth, this.#parts.pollMs(), nowMs)) {
        this.#open.set(key, { ...outage, isReported: false });
        return;
      }
      this.#report('finding_raised', outage.finding);
    }
    const reported = { ...outage, isReported: true };
    this.#open.set(key, reported);
    if (hasGrown || before?.isReported !== true) this.#store.put(reported);
  }

  #end(key: string): void {
    const over = this.#open.get(key);
    this.#open.delete(key);
    if (over === undefined) return;
    if (!over.isReported) this.#report('finding_raised', over.finding);
    this.#report('finding_cleared', over.finding);
    this.#store.remove(key);
  }

  #report(type: 'finding_raised' | 'finding_cleared', finding: Finding): void {
    const { clock, log, agentIds, emit } = this.#parts;
    this.#growing.delete(finding.key);
    const { key: name, kind, title, severity, sinceMs, minerCount, of, sample } = finding;
    const since = new Date(sinceMs).toISOString();
    // How long, and not since when: the clock of the service may differ.
    const lasted_s = Math.max(0, Math.round((clock.nowMs() - sinceMs) / 1_000));
    const detail = {
      ...{ finding: name, kind, title, severity, lasted_s, miner_count: minerCount, of },
      addresses: [...sample],
    };
    log.warn({ finding: name, since, miners: minerCount, of }, type === 'finding_raised' ? title : `over: ${title}`);
    const at = new Date(clock.nowMs()).toISOString();
    for (const key of agentIds) emit({ kind: 'event', type, key, at, detail });
  }
}

/** The open finding after a look: as large as it ever was, since its earliest time. */
export function merged(before: OpenOutage | undefined, finding: Finding, spell: Spell | undefined) {
  const sinceMs = Math.min(before?.finding.sinceMs ?? finding.sinceMs, finding.sinceMs);
  const hasGrown = before === undefined || finding.minerCount > before.finding.minerCount;
  const outage = { finding: hasGrown ? { ...finding, sinceMs } : before.finding, spell: spell ?? before?.spell };
  return { outage, hasGrown };
}

/** The size of a finding, since when it has that size, and when it began; by the monotonic clock. */
type Growth = { readonly count: number; readonly sinceMs: number; readonly fromMs: number };

export function grown(before: Growth | undefined, count: number, nowMs: number): Growth {
  const start = before ?? { count: 0, sinceMs: nowMs, fromMs: nowMs };
  return count > start.count ? { ...start, count, sinceMs: nowMs } : start;
}

/** Until its size stays for a poll interval, and for `GROWS_MS` at most. */
export const isStillGrowing = ({ sinceMs, fromMs }: Growth, pollMs: number, nowMs: number): boolean =>
  nowMs - fromMs < GROWS_MS && nowMs - sinceMs < pollMs;

const answers = (judgement: OutageMiner['judgement']): boolean =>
  judgement !== undefined && judgement.conditions[CONTACT_RULE] === undefined;

type Failing = Silent & { readonly isRaised: boolean };

/** From the first poll that fails: the key is known then before the first flag is raised. */
function failingOf({ key, target, judgement }: OutageMiner, isOutOfOperation: Parts['isOutOfOperation']): Failing[] {
  const contact = judgement?.conditions[CONTACT_RULE];
  if (contact === undefined || isOutOfOperation(key)) return [];
  return [{ minerKey: key, ip: target.ip, sinceMs: contact.badAtMs, isRaised: contact.isRaised }];
}

const silentMember =
  (keys: ReadonlyMap<string, string>) =>
  ({ minerKey, ip, sinceMs }: Silent) => {
    const key = keys.get(minerKey);
    return key === undefined ? [] : [{ key, ip, sinceMs }];
  };

function poolMember({ target, judgement }: OutageMiner) {
  for (const rule of POOL_RULES) {
    const dead = judgement?.conditions[rule];
    const key = dead?.isRaised === true ? dead.violation.finding : undefined;
    if (dead !== undefined && key !== undefined) return [{ key, ip: target.ip, sinceMs: dead.badAtMs }];
  }
  return [];
}

/** The key of a miner's first pool. Thousands of miners use a few pools: each address is read once. */
function firstPools(): (miner: OutageMiner) => string | undefined {
  const keys = new Map<string, string | undefined>();
  return ({ reported }) => {
    const url = reported?.document.pools.find((pool) => pool.url.trim() !== '')?.url;
    if (url === undefined) return undefined;
    if (!keys.has(url)) keys.set(url, poolKeyOf(url));
    return keys.get(url);
  };
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function spellsOf(
  failing: readonly Silent[],
  keys: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, Spell>,
): Map<string, Spell> {
  const spells = new Map<string, Spell>();
  for (const { minerKey, sinceMs } of failing) {
    const key = keys.get(minerKey);
    if (key !== undefined) spells.set(key, widened(spells.get(key) ?? before.get(key), { sinceMs, untilMs: sinceMs }));
  }
  return spells;
}

const widened = (before: Spell | undefined, now: Spell): Spell =>
  before === undefined
    ? now
    : { sinceMs: Math.min(before.sinceMs, now.sinceMs), untilMs: Math.max(before.untilMs, now.untilMs) };
