// The result of one visit for the judge. Types only.
import type { PeerCode } from '../../../base/errors.ts';
import type { FactState } from '../../../model/identity-facts.ts';
import type { Reading } from '../../../model/reading.ts';

export type SampleContext = {
  readonly macState: FactState;
  readonly serialState: FactState;
  /** The units that show the same MAC or serial number, this one first, as a text of addresses and models. */
  readonly macTwins?: string | undefined;
  readonly serialTwins?: string | undefined;
  /** A task reboots it or changes its firmware, and is not proven or given up yet. */
  readonly isRebooting: boolean;
  /** It has restarted since the last sample, by one of our tasks or by an outage that it shared with others. */
  readonly isExplainedRestart?: boolean | undefined;
  /** The operator has it under maintenance. */
  readonly opsMaintenance: boolean;
  /** The miner registry saw it move since the last sample. */
  readonly ipChanged: boolean;
  /** Why the locked pools are not kept, as a text; absent = they are kept, or none are locked. */
  readonly poolTrouble?: string | undefined;
  /** Seconds after a restart until the figures of this family are valid. */
  readonly warmUpS?: number | undefined;
};

export type Sample =
  | {
      readonly kind: 'ok';
      readonly reading: Reading;
      /** Names of asks whose answer could not be parsed. */
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
