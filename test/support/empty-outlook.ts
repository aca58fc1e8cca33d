// What an agent answers that does none of the tasks it is asked about.
import type { OutlookAnswer, OutlookQuestion } from '../../src/wire/outlook.ts';

export const emptyOutlook = async ({ question_id }: OutlookQuestion): Promise<OutlookAnswer> => ({
  ...{ type: 'outlook', question_id, at_once: 0, draw_w: null, eta_s: null, is_eta_guessed: false, left_out: [] },
});
