// What many miners suffer from together: one finding with its miners, and one event when it begins and when it is over. It judges no miner.
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { OFFLINE_SOURCE } from '../../../model/document.ts';
import { type Finding, findingsOf, networkOf, poolKeyOf, poolOfKey } from '../../../model/findings/findings.ts';
import type { Flag } from '../../../model/flags.ts';
import type { EventRecord } from '../../../wire/records.ts';
import type { MinerState } from '../miner-state.ts';
import { openOutageStore } from './outage-store.ts';
import { type Silent, type Spell, silentTogether } from './silence.ts';

type Outages = {
  /** To be called every few seconds. Never throws. */
  look(): void;
  /** As of the last look, the largest first. */
  current(): readonly Finding[];
  /** The flags with the key of the finding that the miner's silence belongs to. */
  pointed(minerKey: string, flags: readonly Flag[]): readonly Flag[];
};

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
  emit(record: EventRecord): void;
};

/** A finding that still grows is not reported yet, so that the event names all of its miners; for at most this long. */
const GROWS_MS = 5 * 60_000;
const CONTACT_RULE = 'network.contact';
/** The first of them that is raised counts. */
const POOL_RULES = ['pool.all-dead', 'pool.no-share', 'pool.rejects', 'pool.first-dead'] as const;

/** Open findings outlast a restart. */
export function createOutages(db: DatabaseSync, parts: Parts): Outages {
  const { clock, log } = parts;
  const store = openOutageStore(db, log);
  const open = store.load();
  let current: readonly Finding[] = [];
  let silenceOf: ReadonlyMap<string, string> = new Map();
  /** When the miners of each key fell silent, of those that are no finding yet too. */
  let spells = new Map<string, Spell>();
  /** Size and time of the last growth of those that are not reported yet. */
  const growing = new Map<string, { readonly count: number; readonly sinceMs: number; readonly fromMs: number }>();

  const look = () => {
    const miners = [...parts.miners()];
    const byNetwork = countBy(miners, ({ target }) => networkOf(target.ip));
    const failing = miners.flatMap((miner) => failingOf(miner, parts.isOutOfOperation));
    for (const [key, { spell }] of open) if (spell !== undefined) spells.set(key, spell);
    const gapMs = 1.5 * parts.pollMs() + 30_000;
    silenceOf = silentTogether(failing, spells, { gapMs, sizeOf: (network) => byNetwork.get(network) ?? 0 });
    spells = spellsOf(failing, silenceOf, spells);
    const silent = failing.filter(({ isRaised }) => isRaised);
    const members = [...silent.flatMap(silentMember(silenceOf)), ...miners.flatMap(poolMember)];
    // Nothing else needs the first pool of each miner.
    const byPool = members.some(({ key }) => key.startsWith('pool:')) ? countBy(miners, firstPools()) : new Map();
    const sizeOf = (key: string) =>
      byPool.get(poolOfKey(key)) ?? byNetwork.get(key.replace(/^contact:|@.*$/g, '')) ?? 0;
    current = findingsOf(members, sizeOf, (key) => open.has(key));
    for (const finding of current) keep(finding, spells.get(finding.key));
    const keys = new Set(current.map(({ key }) => key));
    for (const key of [...open.keys()]) if (!keys.has(key)) end(key);
  };

  const keep = (finding: Finding, spell: Spell | undefined) => {
    const nowMs = clock.monotonicMs();
    const before = open.get(finding.key);
    const sinceMs = Math.min(before?.finding.sinceMs ?? finding.sinceMs, finding.sinceMs);
    const peak = before === undefined || finding.minerCount > before.finding.minerCount;
    const isReported = before?.isReported ?? false;
    const next = { finding: peak ? { ...finding, sinceMs } : before.finding, spell: spell ?? before?.spell };
    if (!isReported) {
      const grown = growing.get(finding.key) ?? { count: 0, sinceMs: nowMs, fromMs: nowMs };
      const isGrowing = finding.minerCount > grown.count;
      growing.set(finding.key, isGrowing ? { ...grown, count: finding.minerCount, sinceMs: nowMs } : grown);
      const isSettled = !isGrowing && nowMs - grown.sinceMs >= parts.pollMs();
      if (!isSettled && nowMs - grown.fromMs < GROWS_MS) return void open.set(finding.key, { ...next, isReported });
      report('finding_raised', next.finding);
    }
    open.set(finding.key, { ...next, isReported: true });
    if (peak || !isReported) store.put({ ...next, isReported: true });
  };

  const end = (key: string) => {
    const over = open.get(key);
    open.delete(key);
    if (over === undefined) return;
    if (!over.isReported) report('finding_raised', over.finding);
    report('finding_cleared', over.finding);
    store.remove(key);
  };

  const report = (type: 'finding_raised' | 'finding_cleared', finding: Finding) => {
    growing.delete(finding.key);
    const { key: name, kind, title, severity, sinceMs, minerCount, of, sample } = finding;
    const since = new Date(sinceMs).toISOString();
    // How long, and not since when: the clock of the service may be another one.
    const lasted_s = Math.max(0, Math.round((clock.nowMs() - sinceMs) / 1_000));
    const detail = {
      finding: name,
      kind,
      title,
      severity,
      lasted_s,
      miner_count: minerCount,
      of,
      addresses: [...sample],
    };
    log.warn({ finding: name, since, miners: minerCount, of }, type === 'finding_raised' ? title : `over: ${title}`);
    const at = new Date(clock.nowMs()).toISOString();
    for (const key of parts.agentIds) parts.emit({ kind: 'event', type, key, at, detail });
  };

  return {
    look() {
      try {
        look();
      } catch (error) {
        log.error({ cause: renderError(error) }, 'look for what many miners suffer from together');
      }
    },
    current: () =>
      current.map((finding) => ({ ...finding, sinceMs: open.get(finding.key)?.finding.sinceMs ?? finding.sinceMs })),
    pointed(minerKey, flags) {
      const finding = silenceOf.get(minerKey);
      if (finding === undefined) return flags;
      return flags.map((flag) => (flag.source === OFFLINE_SOURCE ? { ...flag, finding } : flag));
    },
  };
}

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
