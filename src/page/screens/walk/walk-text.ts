// What the steps of a walk say, in the language of the page. Pure.
import type { Location } from '../../../model/locations/location.ts';
import type { Question } from '../../../model/locations/walk/state.ts';
import type { WalkMessage } from '../../../model/locations/walk/steps.ts';
import { placeOf } from '../../model/label.ts';
import type { Texts } from '../../text/texts.ts';

const placeText = (place: Location, { walk }: Texts): string => placeOf(place) ?? walk.nowhere;

export function questionText(question: Question, texts: Texts): string {
  const { slot, ip } = question;
  return question.kind === 'held'
    ? texts.walk.held(slot, ip, question.comes, placeText(question.to, texts))
    : texts.walk.placedBefore(ip, placeText(question.from, texts), slot);
}

/** Undefined where the question itself is shown. */
export function messageText(message: WalkMessage, texts: Texts): string | undefined {
  const { walk } = texts;
  switch (message.kind) {
    case 'refused':
      return message.message;
    case 'nothing-placed':
      return walk.nothingPlaced;
    case 'no-light-left':
      return walk.noLightLeft;
    case 'ask':
      return undefined;
    case 'button-waits':
      return walk.buttonWaits;
    case 'stands-already':
      return walk.standsAlready(message.ip);
    case 'back-again':
      return walk.backAgain(message.ip, placeText(message.to, texts));
    case 'lights-up':
      return walk.lightsUp(message.ip);
    case 'not-lit':
      return walk.notLit(message.ip, message.problem);
  }
}
