// Everything that a driver is written with, in one place: a driver that ships imports it from here, a driver that is
// loaded from a folder gets it as an argument.
export { z } from 'zod';
export { PeerError } from '../../base/errors.ts';
export { macState } from '../../model/identity-facts.ts';
export type { BoardReading, ErrorReading, Expectation, FanReading, Reading } from '../../model/reading.ts';
export * from '../contract.ts';
export * from '../fields.ts';
export { confidenceOf, isWholeCgminer, speaksCgminer } from '../proof.ts';
export * from './act/command.ts';
export * from './act/device-log.ts';
export * from './act/kept.ts';
export * from './act/lost-reply.ts';
export * from './act/or-else.ts';
export * from './act/outcomes.ts';
export * from './act/pool-params.ts';
export * from './act/targets.ts';
export * from './act/try-to-ask.ts';
export * from './act/usual-abilities.ts';
export { Answer, NOTHING } from './answer.ts';
export * from './cgminer.ts';
export { type Answers, defineDriver, hasPart, hasRow, type Question } from './define.ts';
export {
  type BoardDraft,
  type Draft,
  type ErrorDraft,
  edgesC,
  type FanDraft,
  hottestC,
  joinedBoards,
  type PoolDraft,
} from './draft.ts';
export * from './fans.ts';
export * from './figures.ts';
export * from './ideal-rate.ts';
export * from './models/known-model.ts';
export * from './models/models.ts';
export * from './models/own-build.ts';
export * from './pool-rows.ts';
export * from './web/basic.ts';
export * from './web/requests.ts';
export * from './web/sessions.ts';
export * from './words/facts.ts';
export * from './words/firmware-version.ts';
export * from './words/mode-now.ts';
export * from './words/named-fields.ts';
export * from './words/quoted-json.ts';
export * from './words/target-preset.ts';
export * from './words/trouble-words.ts';
export * from './words/uptime.ts';
