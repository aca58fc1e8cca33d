// One simulated device: identity, settings, faults, age and sockets. It goes away and comes back on reboot. What it
// says is the family's business.
import { renderError } from '../../src/base/errors.ts';
import { type FaultName, FaultSet, type FaultValue } from './faults.ts';
import { type DeviceIdentity, identityOf } from './identity.ts';
import type { Report, ReportFacts } from './ip-report.ts';
import { DeviceLogin, type Login } from './login.ts';
import { type BodyState, bodyAt, type Mode, type ModelSpec, roughly, steadyHs } from './physics.ts';
import type { Host } from './servers/host.ts';
import { Listeners, type SimServer } from './servers/listener.ts';
import type { WebSite } from './servers/web.ts';
import { ShareCounter, type Shares } from './shares.ts';
import type { FarmTime } from './time.ts';
import type { Truth } from './truth.ts';

/** What all devices of a farm share. */
export type Site = {
  readonly time: FarmTime;
  readonly seed: number;
  readonly noise: number;
  readonly bootS: number;
  readonly warmUpS: number;
  /** Port to listen on for a standard port. */
  port(standard: number): number;
  readonly web: WebSite;
  /** Another device: at this address, or, without one, the device before `index`. */
  other(
    index: number,
    ip: string | undefined,
  ): { readonly index: number; readonly identity: DeviceIdentity } | undefined;
  onError(message: string): void;
  /** Told of what devices are sent. */
  onReceived(ip: string, text: string): void;
};

export type PoolSetting = { readonly url: string; readonly user: string; readonly pass: string };

/** A family's variant: one model with one firmware. */
export type Variant = {
  readonly family: string;
  readonly driver: string;
  readonly spec: ModelSpec;
  /** Its host name from the factory; absent = its make. */
  readonly hostname?: string;
  readonly login?: Login;
  servers(device: SimDevice): readonly SimServer[];
  truth(device: SimDevice): Truth;
};

/** What a driver has in simulated farms: its file `farm.ts` exports it as `simulated`. */
export type SimulatedDevices = {
  readonly usual: readonly Variant[];
  /** How many of each of these families are in a farm that has everything, beside those of other drivers. */
  readonly shares: Readonly<Record<string, number>>;
  /**
   * Of which there is no recording here, nor many of them anywhere: built after what others have published of one. In a
   * farm only where its mix names them.
   */
  readonly rare?: readonly Variant[];
  /** Absent where the family has no such button, or we do not know what it sends. */
  ipReport?(facts: ReportFacts): Report;
  /** The login that their owner has set, where they have none from the factory. */
  readonly owner?: Login;
};

/** What the maker of a farm sees of a device. */
export type Device = {
  readonly index: number;
  readonly ip: string;
  readonly driver: string;
  /** Family and variant, e.g. `antminer-b`. */
  readonly family: string;
  readonly spec: ModelSpec;
  /** What a network would show of it, whatever it tells itself; undefined while nothing answers there. */
  readonly networkMac: string | undefined;
  /** What opens it now (the owner may have changed it: fault `wrong-password`). Undefined = no login. */
  readonly login: Login | undefined;
  /** False while it is away for a reboot. */
  readonly isUp: boolean;
  readonly reboots: number;
  /** Requests that arrived whole, over every server. */
  readonly requests: number;
  readonly inFlight: number;
  /** Most requests that it ever had to answer at once. */
  readonly maxInFlight: number;
  truth(): Truth;
  setFault(name: FaultName, isOn: boolean, value?: FaultValue): void;
  faultNames(): readonly FaultName[];
  /** Its owner sets it, over no protocol. */
  setMode(mode: Mode): void;
  setPools(pools: readonly PoolSetting[]): void;
  /** It loses its power for a moment: back after the boot time with everything at zero. */
  reboot(): void;
};

const SHARE_DIFFICULTY = 524_288;
/** More than there are devices: so many MACs are invented before one comes twice. */
const INVENTED = 4_096;

export class SimDevice implements Device, Host {
  readonly index: number;
  readonly site: Site;
  readonly variant: Variant;
  readonly identity: DeviceIdentity;
  readonly faults = new FaultSet();
  readonly logins = new DeviceLogin(this);
  /** What its owner has set; families read and write it. */
  readonly settings: {
    mode: Mode;
    isLightOn: boolean;
    hostname: string;
    powerLimitW: number;
    pools: readonly PoolSetting[];
    /** Installed by an update; undefined = what it came with. */
    firmware: string | undefined;
    /** Taken, and in force after the next restart only. */
    storedPools: readonly PoolSetting[] | undefined;
    /** Name of a preset or level, in families that have them. */
    preset: string | undefined;
  };
  ip: string;
  isUp = false;
  /** False while the mining process is stopped and starts anew. */
  isProcessUp = true;
  reboots = 0;
  /** How often it has forgotten who is logged in, but for restarts. */
  endedSessions = 0;
  requests = 0;
  inFlight = 0;
  maxInFlight = 0;
  #processStartS: number;
  #systemStartS: number;
  #pinnedAtS: number | undefined;
  #isStopped = false;
  #cancelReturn: (() => void) | undefined;
  readonly #cancelLater = new Set<() => void>();
  #servers: readonly SimServer[] | undefined;
  #body: { readonly step: number; readonly version: number; readonly state: BodyState } | undefined;
  #version = 0;
  #answers = 0;
  readonly #listeners = new Listeners();
  readonly #shares: ShareCounter;

  /** `ageS`: how long it has been running already. */
  constructor(site: Site, index: number, ip: string, variant: Variant, ageS: number) {
    this.site = site;
    this.index = index;
    this.ip = ip;
    this.variant = variant;
    this.identity = identityOf(site.seed, index);
    const user = this.identity.worker;
    this.settings = {
      mode: 'normal',
      isLightOn: false,
      hostname: variant.hostname ?? variant.spec.make,
      powerLimitW: roughly(variant.spec.powerW * 1.1),
      pools: [
        { url: 'stratum+tcp://pool-a.example:3333', user, pass: 'x' },
        { url: 'stratum+tcp://pool-b.example:3333', user, pass: 'x' },
      ],
      firmware: undefined,
      storedPools: undefined,
      preset: undefined,
    };
    this.#processStartS = site.time.nowS() - ageS;
    this.#systemStartS = this.#processStartS - 40;
    const { shareDifficulty = SHARE_DIFFICULTY, hashesPerDifficulty } = variant.spec;
    this.#shares = new ShareCounter(shareDifficulty, site.warmUpS, hashesPerDifficulty);
    this.#shares.start(this.#processStartS, this.#shareRateHs());
  }

  get driver(): string {
    return this.variant.driver;
  }
  get family(): string {
    return this.variant.family;
  }
  get spec(): ModelSpec {
    return this.variant.spec;
  }
  get clock() {
    return this.site.time.clock;
  }
  get login(): Login | undefined {
    return this.logins.now;
  }
  /** Changes whenever the device forgets who is logged in: at a restart, with a new password, or as it likes. */
  get loginEpoch(): string {
    return `${this.reboots} ${this.endedSessions} ${this.logins.changes}`;
  }

  get networkMac(): string | undefined {
    return this.isUp ? this.identity.mac : undefined;
  }

  /** As it reports itself, upper case with colons. */
  get mac(): string {
    if (this.faults.has('changing-mac'))
      return identityOf(this.site.seed, INVENTED + this.index * INVENTED + this.#answers++).mac;
    return this.#copied('duplicate-mac')?.identity.mac ?? this.identity.mac;
  }
  /** Whose serial number it shows, and whose hashboards'. */
  get serialIndex(): number {
    return this.#copied('duplicate-serial')?.index ?? this.index;
  }
  get boardsIndex(): number {
    return this.#copied('duplicate-boards')?.index ?? this.index;
  }

  #copied(fault: FaultName) {
    const from = this.faults.text(fault, '');
    return from === undefined ? undefined : this.site.other(this.index, from === '' ? undefined : from);
  }

  /** Device clock. */
  nowS(): number {
    return this.site.time.nowS();
  }
  uptimeS(): number {
    return Math.max(0, Math.floor(this.nowS() - this.#processStartS));
  }
  systemUptimeS(): number {
    return Math.max(0, Math.floor(this.nowS() - this.#systemStartS));
  }

  body(): BodyState {
    const atS = this.#pinnedAtS ?? this.site.time.stepStartS();
    const step = Math.floor(atS / this.site.time.stepS);
    if (this.#body?.step === step && this.#body.version === this.#version) return this.#body.state;
    const state = bodyAt({
      spec: this.spec,
      seed: this.site.seed,
      device: this.index,
      noise: this.site.noise,
      step,
      uptimeS: Math.max(0, atS - this.#processStartS),
      warmUpS: this.site.warmUpS,
      mode: this.settings.mode,
      faults: this.faults,
    });
    this.#body = { step, version: this.#version, state };
    return state;
  }

  shares(): Shares {
    return this.#shares.at(this.#countedUntilS());
  }

  /** Counters move with the steps, as everything but uptime does. */
  #countedUntilS(): number {
    return Math.max(this.#processStartS, this.site.time.stepStartS());
  }

  setFault(name: FaultName, isOn: boolean, value?: FaultValue): void {
    const wasAwayForGood = this.faults.has('never-returns');
    this.faults.set(name, isOn, value);
    if (name === 'sessions-end' && isOn) this.endedSessions++;
    if (name === 'frozen-hashrate') this.#pinnedAtS = isOn ? this.site.time.stepStartS() : undefined;
    this.#changed();
    if (wasAwayForGood && !this.faults.has('never-returns') && !this.isUp) this.#returnLater();
  }

  faultNames(): readonly FaultName[] {
    return this.faults.names();
  }

  setMode(mode: Mode): void {
    this.settings.mode = mode;
    this.#changed();
  }

  setPools(pools: readonly PoolSetting[]): void {
    this.settings.pools = pools;
    this.#changed();
  }

  /** As `restart`, but the process is gone meanwhile, for a quarter of what a boot takes. In real milliseconds. */
  restartSlowly(): number {
    const delayS = this.site.bootS / 4;
    this.isProcessUp = false;
    this.later(delayS, () => this.restart());
    return this.site.time.realMs(delayS);
  }

  /** The mining process starts anew: counters and mining uptime at zero, warm-up, the network stays. */
  restart(): void {
    this.isProcessUp = true;
    this.#processStartS = this.nowS();
    if (this.#pinnedAtS !== undefined) this.#pinnedAtS = this.#processStartS;
    this.#version++;
    this.#shares.start(this.#processStartS, this.#shareRateHs());
  }

  /** Off the network at once, back after the boot time with everything at zero. */
  reboot(): void {
    if (this.faults.has('ignores-reboot') || !this.isUp) return;
    this.reboots++;
    this.isUp = false;
    this.#forgetLater();
    this.#run(this.#listeners.close());
    if (!this.faults.has('never-returns')) this.#returnLater();
  }

  /**
   * Does something after `delayS` seconds of the devices' time, unless it has lost its power or the farm has stopped by
   * then.
   */
  later(delayS: number, run: () => void): void {
    const cancel = this.clock.after(this.site.time.realMs(delayS), () => {
      this.#cancelLater.delete(cancel);
      run();
    });
    this.#cancelLater.add(cancel);
  }

  #forgetLater(): void {
    for (const cancel of this.#cancelLater) cancel();
    this.#cancelLater.clear();
  }

  #returnLater(): void {
    this.#cancelReturn?.();
    this.#cancelReturn = this.clock.after(this.site.time.realMs(this.site.bootS), () => {
      this.#systemStartS = this.nowS();
      this.restart();
      this.#run(this.start());
    });
  }

  async start(): Promise<void> {
    if (this.#isStopped) return;
    this.#servers ??= this.variant.servers(this);
    await this.#listeners.open(this.ip, this.#servers);
    if (this.#isStopped) await this.#listeners.close();
    else this.isUp = true;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.isUp = false;
    this.#cancelReturn?.();
    this.#forgetLater();
    await this.#listeners.close();
  }

  /** Takes another address, as a DHCP server may decide. The mining process does not notice. */
  async moveTo(ip: string): Promise<void> {
    const wasUp = this.isUp;
    await this.#listeners.close();
    this.ip = ip;
    if (wasUp) await this.start();
  }

  heard(text: string): void {
    this.site.onReceived(this.ip, text);
  }

  begin(): () => void {
    this.requests++;
    this.inFlight++;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    let isOver = false;
    return () => {
      if (!isOver) this.inFlight--;
      isOver = true;
    };
  }

  truth(): Truth {
    return this.variant.truth(this);
  }

  /** Of the pool at this place of its list: `hasShares` = the counters of shares stand there. */
  poolState(index: number): { readonly isAlive: boolean; readonly isActive: boolean; readonly hasShares: boolean } {
    const first = this.faults.has('first-pool-dead') ? 1 : 0;
    const isDead = this.faults.has('pool-dead');
    const hasShares = index === first;
    return { isAlive: !isDead && index >= first, isActive: !isDead && hasShares, hasShares };
  }

  #shareRateHs(): number {
    if (this.faults.has('pool-dead') || this.faults.has('frozen-hashrate')) return 0;
    return steadyHs(this.spec, this.settings.mode, this.faults);
  }

  #changed(): void {
    this.#version++;
    this.#shares.change(this.#countedUntilS(), this.#shareRateHs());
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) => this.site.onError(`${this.ip}: ${renderError(error)}`));
  }
}
