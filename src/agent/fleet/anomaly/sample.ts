// What the judge is told of one visit. Types only.
import type { PeerCode } from '../../../base/errors.ts';
import type { FactState } from '../../../model/identity-facts.ts';
import type { Reading } from '../../../model/reading.ts';

export type SampleContext = {
  readonly macState: FactState;
  readonly serialState: FactState;
  /** The units that show the same MAC, or the same serial number, this one first, in words: addresses and models. */
  readonly macTwins?: string | undefined;
  readonly serialTwins?: string | undefined;
  /** One of our own tasks is rebooting it (or changing its firmware), and is not yet proven or given up. */
  readonly isRebooting: boolean;
  /** It has restarted since the sample before, and one of our own tasks may have done that, or the outage that it shared with others. */
  readonly isExplainedRestart?: boolean | undefined;
  /** The operator has it under maintenance. */
  readonly opsMaintenance: boolean;
  /** The miner registry saw it move since the last sample. */
  readonly ipChanged: boolean;
  /** Why the locked pools are not kept, in words; absent = they are, or none are locked. */
  readonly poolTrouble?: string | undefined;
  /** Seconds that the family needs after a restart until its figures mean something. */
  readonly warmUpS?: number | undefined;
};

export type Sample =
  | {
      readonly kind: 'ok';
      readonly reading: Reading;
      /** Names of asks whose answer made no sense. */
      readonly unparsable: readonly string[];
      readonly loginRefused: boolean;
      readonly context: SampleContext;
    }
  | {
      readonly kind: 'failed';
      readonly code: PeerCode;
      /** Failed visits in a row, this one included. */
      readonly consecutive: number;
      readonly context: SampleContext;
    };
