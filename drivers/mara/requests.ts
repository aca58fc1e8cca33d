// How MARA firmware is asked and told things (atlas 14): resources of one API, and one configuration that goes back
// whole.
import * as kit from '../../src/driver/kit/index.ts';

/** Reads and, posted to, writes. */
export const resource = (name: string) => kit.get(`/kaonsu/v1/${name}`, 'digest');
export const CONFIG = resource('miner_config');

export const write = (link: kit.MinerLink, what: string, name: string, json: unknown): Promise<kit.ActResult> =>
  kit.command(link, what, kit.asText(kit.post(resource(name).path, 'digest', { json })), verdict, {
    deadlineMs: 30_000,
  });

/** `{"error":false,"msg":"success"}`. Older builds may say less: what is no clear refusal is a yes. */
function verdict({ raw }: kit.Answer): kit.Verdict {
  const answer = String(raw);
  if (!/"error"\s*:\s*true/.test(answer)) return true;
  return answer.match(/"msg"\s*:\s*"([^"]{1,128})"/)?.[1] ?? 'no';
}

export const selectorIn = (config: kit.Answer) => config.at('mode').text('work-mode-selector', 32);

/** `what` as in "set the mode of". Whatever fails, nothing has been changed. */
export const readConfig = (link: kit.MinerLink, what: string): Promise<kit.Answer> =>
  kit.askFirst(link, what, CONFIG, (config) => selectorIn(config) !== undefined);
