// The outlook as a service is told it.
import { MAX_REASON_LENGTH, MAX_REASONS, type OutlookAnswer, type OutlookQuestion } from '../../../wire/outlook.ts';
import type { Forecast, Outlook } from './forecast.ts';

/** Begins nothing. */
export async function answerOutlook(question: OutlookQuestion, outlookOf: Forecast['outlook']): Promise<OutlookAnswer> {
  const { question_id, name, params, miner_keys: keys, canary } = question;
  const outlook = await outlookOf(
    keys.map((minerKey) => ({ name, minerKey, params })),
    { canary },
  );
  return {
    type: 'outlook',
    question_id,
    at_once: outlook.atOnce,
    draw_w: outlook.drawW ?? null,
    eta_s: outlook.etaS,
    is_eta_guessed: outlook.isEtaGuessed,
    left_out: byReason(outlook.leftOut),
  };
}

const MORE = 'its agent refuses it, for one of more reasons than fit one answer';

function byReason(leftOut: Outlook['leftOut']): OutlookAnswer['left_out'] {
  const groups = new Map<string, string[]>();
  for (const { minerKey, reason } of leftOut) {
    const text = reason.slice(0, MAX_REASON_LENGTH);
    const shown = groups.has(text) || groups.size < MAX_REASONS - 1 ? text : MORE;
    const group = groups.get(shown);
    if (group === undefined) groups.set(shown, [minerKey]);
    else group.push(minerKey);
  }
  return [...groups].map(([reason, miner_keys]) => ({ reason, miner_keys }));
}
