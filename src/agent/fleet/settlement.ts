// A person settles which of two units is the miner. It takes the disputes from the registry, checks the old addresses
// of the miners, and stores the decision. It does not check who may ask.
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { EventRecord } from '../../wire/records.ts';
import type { Fleet } from './fleet.ts';
import type { Dispute, MinerRegistry } from './identity/miner-registry.ts';
import { event, type MinerEntry, type Sighting } from './identity/record.ts';

/** What a person wants settled. `by` = the person's name, as the command reports it. */
export type SettleRequest = {
  /** Keys of units that are the miners whose facts they show; `all` = units whose miner has a silent old address. */
  readonly wanted: readonly string[] | 'all';
  readonly isDryRun: boolean;
  readonly by: string;
};

/** What came of one unit. */
export type Settled = {
  readonly ip: string;
  readonly outcome: 'settled' | 'would_settle' | 'left';
  /** Why it was left as it is, as a text. */
  readonly reason: string | null;
  /** The miner that it is now. */
  readonly key: string;
  /** Where the miner was before, if that was another address. */
  readonly from: string | null;
  /** Addresses of the units that are not it. */
  readonly rejected: readonly string[];
};

export type Settlement = ReturnType<typeof createSettlement>;

/** What answers at the miner's old address: nothing, something, or it cannot be asked. */
type OldAddress = 'silent' | 'answers' | 'unknown';

/** The unit that becomes the miner, and the addresses of those that do not. */
type Plan = { readonly unit: MinerEntry; readonly miner: MinerEntry; readonly others: readonly string[] };

export function createSettlement(parts: {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
  readonly registry: Pick<MinerRegistry, 'disputes' | 'undecided' | 'settle' | 'get' | 'byIp'>;
  readonly fleet: Pick<Fleet, 'settledByHand' | 'isExpectedBack'>;
  readonly neighbours: { at(ip: string): Sighting['neighbour'] };
  readonly emit: (record: EventRecord) => void;
  /** Polls it soon, so that its new identity is reported. */
  readonly pollNow: (key: string) => void;
  /** Whether a device answers there. A host that refuses every connection does not count. */
  readonly isAnswering: (ip: string, signal: AbortSignal) => Promise<boolean>;
  /** Takes in the devices there. */
  readonly meet: (ips: readonly string[], signal: AbortSignal) => Promise<unknown>;
  readonly mayReach: (ip: string) => boolean;
}) {
  const { clock, registry, fleet, neighbours, emit } = parts;

  const lookAtOld = async ({ unit, miner }: Plan, signal: AbortSignal): Promise<OldAddress> => {
    if (miner.ip === null || miner.ip === unit.ip || !parts.mayReach(miner.ip)) return 'unknown';
    return (await parts.isAnswering(miner.ip, signal)) ? 'answers' : 'silent';
  };

  const networkMacAt = (ip: string): string | null => {
    const neighbour = neighbours.at(ip);
    const seen = neighbour === undefined || neighbour.isShared ? undefined : neighbour.mac;
    return seen ?? registry.byIp(ip)?.netMac ?? null;
  };

  const carryOut = (plan: Plan, old: OldAddress, by: string): Settled => {
    const { unit, miner } = plan;
    const { ip } = unit;
    if (ip === null) return left(plan, 'it has no address any more');
    const rejected = rejectedBy(plan, old).map((other) => ({ ip: other, netMac: networkMacAt(other) }));
    const { events, left: gone } = registry.settle(miner.key, ip, rejected);
    if (unit.key !== miner.key) fleet.settledByHand(miner.key, gone);
    const from = miner.lastIp === ip ? null : miner.lastIp;
    const units = rejected.map((one) => ({
      ip: one.ip,
      network_mac: one.netMac,
      key: registry.byIp(one.ip)?.key ?? null,
    }));
    const detail = { ip, from, network_mac: networkMacAt(ip), rejected: units, actor: { type: 'user', name: by } };
    parts.log.warn({ miner: miner.key, ...detail }, 'a person has settled which unit is the miner');
    for (const record of [...events, event('identity_settled', miner.key, clock.nowMs(), detail)]) emit(record);
    for (const { key } of [miner, ...units]) if (key !== null) parts.pollNow(key);
    return { ip, outcome: 'settled', reason: null, key: miner.key, from, rejected: rejected.map((one) => one.ip) };
  };

  /** The identities of the other units follow from the next look at them. */
  const settleOne = async (plan: Plan, old: OldAddress, { isDryRun, by }: SettleRequest, signal: AbortSignal) => {
    if (isDryRun) return wouldSettle(plan, old);
    const settled = carryOut(plan, old, by);
    const unmet = settled.rejected.filter((ip) => registry.byIp(ip) === undefined);
    await parts.meet(unmet, signal).catch((error: unknown) => {
      parts.log.warn({ ips: unmet, cause: renderError(error) }, 'look at units that are not the miner');
    });
    return settled;
  };

  return {
    /**
     * In the order of `wanted`, for `all` the oldest dispute first. A unit that cannot be settled has outcome `left`.
     */
    async settle(request: SettleRequest, signal: AbortSignal): Promise<Settled[]> {
      const disputes = registry.disputes();
      const undecided = registry.undecided();
      const isAll = request.wanted === 'all';
      const plans =
        request.wanted === 'all'
          ? plansOfAll(disputes, undecided)
          : plansOf(request.wanted, disputes, undecided, registry);
      const looked = await Promise.all(
        plans.map(async (plan) => ({
          plan,
          old: 'problem' in plan ? ('unknown' as const) : await lookAtOld(plan, signal),
        })),
      );
      const settled: Settled[] = [];
      for (const { plan, old } of looked) {
        if ('problem' in plan) settled.push(left(plan, plan.problem));
        else if (isAll && fleet.isExpectedBack(plan.miner.key)) settled.push(left(plan, 'the miner is being rebooted'));
        else if (isAll && old !== 'silent') settled.push(left(plan, whyLeft(plan, old)));
        else settled.push(await settleOne(plan, old, request, signal));
      }
      return settled;
    },
  };
}

type Problem = Plan & { readonly problem: string };
type Undecided = ReturnType<MinerRegistry['undecided']>;

function plansOf(
  wanted: readonly string[],
  disputes: readonly Dispute[],
  undecided: Undecided,
  registry: Pick<MinerRegistry, 'get'>,
): (Plan | Problem)[] {
  const plans = wanted.flatMap((key): (Plan | Problem)[] => {
    const unit = registry.get(key);
    if (unit === undefined) return [];
    const miner = minerMeant(unit, disputes, undecided);
    if (miner !== undefined) return [planFor(unit, miner, disputes, undecided)];
    const isWaiting = undecided.some(({ ip }) => ip === unit.ip);
    const problem = isWaiting
      ? 'it is being looked at: list again in a few minutes'
      : 'no other unit shows its facts: there is nothing to settle';
    return [{ unit, miner: unit, others: [], problem }];
  });
  return plans.map((plan) => {
    const rival = plans.find((other) => other !== plan && other.miner.key === plan.miner.key);
    if (rival === undefined || 'problem' in plan) return plan;
    return { ...plan, problem: `${rival.unit.ip} was named too, and only one can be the miner: name one of them` };
  });
}

/**
 * The miner whose facts the unit shows: another one, or itself if others show its facts too. Rejected ones come last.
 */
function minerMeant(unit: MinerEntry, disputes: readonly Dispute[], undecided: Undecided): MinerEntry | undefined {
  const claimed = disputes.filter(({ claimant }) => claimant.key === unit.key);
  const isClaimed =
    disputes.some(({ miner }) => miner.key === unit.key) || undecided.some(({ key }) => key === unit.key);
  const open = claimed.find(({ state }) => state !== 'rejected');
  const dispute = open ?? (isClaimed ? undefined : claimed[0]);
  if (dispute === undefined) return isClaimed ? unit : undefined;
  return isOfTwins(dispute) ? unit : dispute.miner;
}

/** Two units with a history each, of which neither claims to be the other. */
const isOfTwins = ({ claimant, miner }: Dispute): boolean => claimant.claimsKey !== miner.key;

function planFor(unit: MinerEntry, miner: MinerEntry, disputes: readonly Dispute[], undecided: Undecided): Plan {
  const units = disputes.flatMap((dispute) => {
    if (dispute.miner.key === miner.key) return dispute.claimant.ip ?? [];
    return isOfTwins(dispute) && dispute.claimant.key === miner.key ? (dispute.miner.ip ?? []) : [];
  });
  const waiting = undecided.filter(({ key }) => key === miner.key).map(({ ip }) => ip);
  return { unit, miner, others: [...new Set([...units, ...waiting])].filter((ip) => ip !== unit.ip) };
}

/** One for each miner that a unit elsewhere claims to be; `problem` = why it must not be settled. */
function plansOfAll(disputes: readonly Dispute[], undecided: Undecided): (Plan | Problem)[] {
  const undisputed = disputes.filter(({ state }) => state !== 'rejected');
  return undisputed.map((dispute) => {
    const { claimant, miner, state } = dispute;
    const plan = planFor(claimant, miner, undisputed, undecided);
    if (isOfTwins(dispute)) return { ...plan, problem: `${miner.lastIp} answers with the same facts` };
    if (plan.others.length > 0) return { ...plan, problem: `${plan.others.join(', ')} shows the same facts, too` };
    if (state === 'open') return plan;
    return { ...plan, problem: 'the miner answered at the same time, or the network shows another MAC address' };
  });
}

function whyLeft({ miner }: Plan, old: OldAddress): string {
  if (old === 'answers') return `something answers at ${miner.lastIp}, where the miner was`;
  return miner.ip === null
    ? `another unit took ${miner.lastIp}, where the miner was`
    : `${miner.lastIp}, where the miner was, cannot be asked`;
}

/** The claimants elsewhere, and the unit that answers at the miner's old address unless that is the one chosen. */
const rejectedBy = ({ unit, miner, others }: Plan, old: OldAddress): string[] =>
  unit.key !== miner.key && old === 'answers' && miner.ip !== null
    ? [...others.filter((ip) => ip !== miner.ip), miner.ip]
    : [...others];

const wouldSettle = (plan: Plan, old: OldAddress): Settled => ({
  ...{ ip: plan.unit.ip ?? plan.unit.lastIp, outcome: 'would_settle', reason: null, key: plan.miner.key },
  from: plan.miner.lastIp === plan.unit.ip ? null : plan.miner.lastIp,
  rejected: rejectedBy(plan, old),
});

const left = ({ unit, miner }: Plan, reason: string): Settled => ({
  ...{ ip: unit.ip ?? unit.lastIp, outcome: 'left', reason, key: miner.key, from: null, rejected: [] },
});
