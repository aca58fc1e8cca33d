// A new driver made of a case: what it asks, by what it recognises, what it reads, and the case as its own.

import { caseName } from '../../../agent/capture/recording/case.ts';
import type { CaseFolder } from '../../../case/folder.ts';
import type { Case } from '../../../case/format.ts';
import { loginWallOf } from '../../../case/login-wall.ts';
import { asksOf, type DraftAsk } from './asks.ts';
import { fieldsOf } from './fields.ts';
import { recognitionOf } from './recognition.ts';
import type { Draft, DraftLogin } from './text.ts';

const UNKNOWN = { tcpWord: undefined, title: undefined, realm: undefined, server: undefined, page: undefined };

/** The generator claims nothing: a person writes down the models and the firmware. */
const UNKNOWN_MODELS = 'unknown';
const UNKNOWN_FIRMWARE = 'unknown';

/** Without a case: a driver for CGMiner's API that recognises nothing until a person says by what. */
export function draftOf(id: string, recorded: CaseFolder | undefined): Draft {
  if (recorded === undefined)
    return {
      ...{
        id,
        make: capital(id.split('-')[0] ?? id),
        models: UNKNOWN_MODELS,
        firmware: UNKNOWN_FIRMWARE,
        asks: [],
        fields: [],
        login: 'none',
        evidence: 'claimed',
      },
      recognition: { ...UNKNOWN, tcpWord: id.toUpperCase() },
    };
  const { about } = recorded;
  const asks = asksOf(recorded);
  const fields = fieldsOf(asks);
  const recognition = recognitionOf(recorded, asks);
  const { tcpWord = id.split('-')[0] ?? id } = recognition;
  return {
    id,
    make: about.make ?? capital(tcpWord),
    models: valueIn(fields, 'model') ?? about.model ?? UNKNOWN_MODELS,
    firmware: valueIn(fields, 'firmwareVersion') ?? about.firmwareVersion ?? UNKNOWN_FIRMWARE,
    evidence: about.isSimulated === true ? 'claimed' : 'recording',
    asks,
    fields,
    recognition,
    login: loginOf(recorded, asks),
  };
}

/** The case as one of the new driver: its requests under the driver's names. */
export function caseOf(draft: Draft, { about }: CaseFolder): Case {
  const { id, asks, make, models, firmware } = draft;
  const hasNames = models !== UNKNOWN_MODELS || firmware !== UNKNOWN_FIRMWARE;
  const nameOf = new Map(asks.map(({ recorded, name, every }) => [recorded, { ask: name, every }]));
  return {
    ...about,
    // A case without either keeps its name. The next capture then has a name of its own, and both can lie side by side.
    id: hasNames ? caseName(make, models, firmware) : about.id,
    firmware: id,
    // Recorded of a driver that does not read it any more.
    known: {},
    responses: about.responses.flatMap((recorded) => {
      const { ask, every: _, ...rest } = recorded;
      const own = nameOf.get(recorded);
      // Nothing is left of the questions of other drivers.
      return own === undefined && ask !== undefined && rest.auth !== 'login' ? [] : [{ ...rest, ...own }];
    }),
    // A person reads these values on the device. Values that the generator fills in would only repeat its guesses.
    expect: {},
    read: null,
  };
}

function loginOf({ about, bytesOf }: CaseFolder, asks: readonly DraftAsk[]): DraftLogin {
  const isBehind = (auth: string) => asks.some(({ recorded }) => recorded.auth === auth);
  if (isBehind('digest')) return 'digest';
  if (isBehind('carried')) return 'basic';
  if (isBehind('session')) return 'page';
  const wall = loginWallOf(about.responses, (file) => bytesOf(file).toString('latin1'));
  return asks.length === 0 && wall === 'page' ? 'page' : 'none';
}

const valueIn = (fields: Draft['fields'], name: string): string | undefined => {
  const value = fields.find(({ field }) => field === name)?.value;
  return typeof value === 'string' ? value : undefined;
};

const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`;
