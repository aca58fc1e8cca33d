// A driver as the core calls it, wherever it runs: one of the program answers at once, one of a folder when its process
// has answered. Types only.
import type { Reading } from '../../model/reading.ts';
import type { Awaitable } from '../../transport/request.ts';
import type { Ability, AbilityName, AfterLogin, Driver, Evidence, Identity, Known } from '../contract.ts';
import type { IpReportForm } from '../recognition.ts';

export type RawReadResult = {
  readonly reading: Readonly<Record<string, unknown>>;
  readonly unparsable: readonly string[];
};

export type LoadedAbility = Omit<Ability, 'shows'> & {
  shows?(reading: Reading, params: unknown): Awaitable<boolean | undefined>;
};

/** A report whose words are judged where the driver runs. */
export type RemoteReportForm = {
  readonly port: number;
  /** Never rejects; undefined = no report of its devices. */
  claim(text: string): Promise<{ readonly ip?: string; readonly mac?: string } | undefined>;
};

export type LoadedAbilities = Readonly<Partial<Record<AbilityName, LoadedAbility>>>;

export type LoadedDriver = Omit<Driver, 'identify' | 'read' | 'afterLogin' | 'abilities' | 'ipReport'> & {
  readonly ipReport?: IpReportForm | RemoteReportForm;
  readonly abilities: LoadedAbilities;
  readonly afterLogin?: Pick<AfterLogin, 'ask'> & {
    mayBe(evidence: Evidence): Awaitable<boolean>;
    identify(answer: unknown): Awaitable<Identity | undefined>;
  };
  identify(evidence: Evidence): Awaitable<Identity | undefined>;
  /** The visit checks the reading. */
  read(raw: Readonly<Record<string, unknown>>, known: Known): Awaitable<RawReadResult>;
  /** Of its families, those that the answers prove by what is judged where it runs: shapes and patterns. */
  prove?(answers: Omit<Evidence, 'family' | 'isProven'>): Promise<readonly string[]>;
  /** The file or folder that it comes from; absent = it is part of the program. */
  readonly origin?: string;
  /** What it can do and may not: the configuration does not allow it. */
  readonly withheld?: readonly AbilityName[];
  /** It cannot be asked for the moment, for this reason: its miners wait. */
  waitsFor?(): string | undefined;
};
