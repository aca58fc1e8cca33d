// The firmware family that the answers of a device name, and whether they prove it. Pure.
import type { Evidence } from './contract.ts';
import type { LoadedDriver } from './load/loaded-driver.ts';
import { isProven } from './proof.ts';
import type { Family, OwnAnswer, StartPage } from './recognition.ts';

/** Answers without what follows from them. */
export type EvidenceParts = Omit<Evidence, 'family' | 'isProven'>;

/** The families of some drivers. */
export class Families {
  /** Third-party firmware before that of makers, and last what lives on in others; else in the order of the drivers. */
  readonly all: readonly Family[];
  readonly #byId: ReadonlyMap<string, Family>;
  /** Drivers of each family: several where their devices look alike and each tells its own. */
  readonly #driverIds: ReadonlyMap<string, readonly string[]>;

  readonly #drivers: readonly Pick<LoadedDriver, 'prove'>[];
  /** Families that a driver in another process has found to be proven. */
  readonly #judged = new WeakMap<EvidenceParts, readonly string[]>();

  constructor(drivers: readonly Pick<LoadedDriver, 'id' | 'families' | 'prove'>[]) {
    this.#drivers = drivers.filter(({ prove }) => prove !== undefined);
    const listed = drivers.flatMap(({ id, families = [] }) => families.map((family) => ({ family, driver: id })));
    const byId = Map.groupBy(listed, ({ family }) => family.id);
    this.#byId = new Map([...byId].flatMap(([id, [first]]) => (first === undefined ? [] : [[id, first.family]])));
    this.#driverIds = new Map([...byId].map(([id, all]) => [id, all.map(({ driver }) => driver)]));
    this.all = [...this.#byId.values()].toSorted((a, b) => rankOf(a) - rankOf(b));
  }

  get(id: string | undefined): Family | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Whether the driver reads this family. */
  isOf(driverId: string | undefined, id: string | undefined): boolean {
    return driverId !== undefined && id !== undefined && this.#driverIds.get(id)?.includes(driverId) === true;
  }

  /** Whether a device of this family, or of this driver, has an answer of its own to the question. */
  mayAnswer(to: OwnAnswer['to'], { family, driverId }: { family?: string | undefined; driverId?: string | undefined }) {
    return this.all.some(
      ({ id, answers = [] }) =>
        (id === family || this.isOf(driverId, id)) && answers.some((answer) => answer.to === to),
    );
  }

  /** Before `isProven`, `isAnyProven` and `evidenceOf` of these answers: some families are judged elsewhere. */
  async judge(answers: EvidenceParts): Promise<void> {
    if (this.#drivers.length === 0) return;
    const found = await Promise.all(this.#drivers.map((driver) => driver.prove?.(answers) ?? []));
    this.#judged.set(answers, found.flat());
  }

  isProven(id: string | undefined, answers: EvidenceParts): boolean {
    const family = this.get(id);
    return family !== undefined && this.#proves(family, answers);
  }

  #proves(family: Family, answers: EvidenceParts): boolean {
    return isProven(family, answers, this.all) || this.#judged.get(answers)?.includes(family.id) === true;
  }

  isAnyProven(answers: EvidenceParts): boolean {
    return this.#namedBy(answers).some((family) => this.#proves(family, answers));
  }

  /** The answers, with the family that they name and whether they prove it. */
  evidenceOf(answers: EvidenceParts): Evidence {
    // A proof of one family beats the hint of another, but not where it lives on in the firmwares that replace it.
    const proven = this.#namedBy(answers).find((each) => !each.livesOn && this.#proves(each, answers));
    const family = proven ?? this.#shown(answers);
    return { ...answers, family: family?.id, isProven: family !== undefined && this.#proves(family, answers) };
  }

  /**
   * The family that the answers name. TCP words before API 3 before the web page, but any other family before one that
   * lives on in the firmwares that replace it (stock Antminer firmware). A login challenge that spells out its
   * algorithm may be MARA or newer stock: only MARA's own words on TCP decide for MARA, because trying its login on a
   * stock miner would do harm.
   */
  familyOf(answers: EvidenceParts): string | undefined {
    return this.#shown(answers)?.id;
  }

  tcpFamily(version: string | undefined, devdetails: string | undefined): string | undefined {
    return this.#onTcp(version, devdetails)?.id;
  }

  #shown(answers: EvidenceParts): Family | undefined {
    const found = this.#namedBy(answers);
    return found.find((family) => !family.livesOn) ?? found[0];
  }

  #namedBy(answers: EvidenceParts): Family[] {
    const { web } = answers;
    return [
      this.#onTcp(answers.version, answers.devdetails),
      this.#answering('whatsminer3', answers),
      this.#answering('api4028', answers),
      web && this.all.find(({ startPages = [] }) => startPages.some((page) => fits(page, web))),
      this.#answering('systemInfo', answers),
    ].filter((family) => family !== undefined);
  }

  #onTcp(version = '', devdetails = ''): Family | undefined {
    const [inVersion, inDetails] = [version.toUpperCase(), devdetails.toUpperCase()];
    return this.all.find(({ tcp = [] }) =>
      tcp.some((entry) =>
        entry.words.some((written) => {
          const word = written.toUpperCase();
          return inVersion.includes(word) || (entry.in !== 'version' && inDetails.includes(word));
        }),
      ),
    );
  }

  #answering(to: OwnAnswer['to'], answers: EvidenceParts): Family | undefined {
    return this.all.find(({ answers: own = [] }) =>
      own.some((answer) => answer.to === to && isHinted(answer, answers)),
    );
  }
}

const rankOf = ({ isThirdParty, livesOn }: Family): number => (isThirdParty ? 0 : livesOn ? 2 : 1);

/** The start page redirects to TLS. The redirect is not followed: only the device itself is asked. */
export const isSentToTls = (web: Evidence['web']): boolean =>
  web !== undefined && web.status >= 300 && web.status < 400 && web.location?.startsWith('https://') === true;

function isHinted({ to, words }: OwnAnswer, answers: EvidenceParts): boolean {
  if (words === undefined) return false;
  if (to === 'whatsminer3') return typeof answers.whatsminer3 === 'object' && answers.whatsminer3 !== null;
  const page = answers[to];
  return page?.status === 200 && words.every((word) => page.body.includes(word));
}

function fits(page: StartPage, web: NonNullable<Evidence['web']>): boolean {
  return (
    (page.status === undefined || web.status === page.status) &&
    (page.realm === undefined || (web.authenticate?.includes(page.realm) ?? false)) &&
    (page.location === undefined || (web.location?.includes(page.location) ?? false)) &&
    (page.body === undefined || web.body.includes(page.body))
  );
}

/** A web server on 4028 (ePIC) speaks no CGMiner. */
export function isWebPage(answer: string): boolean {
  return /^\s*(<|HTTP\/)/i.test(answer);
}
