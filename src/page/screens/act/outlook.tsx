// What an act would come to, as the agents say: how many get it, what they draw, when it is over, and who is left out.
import { useApp, useTexts } from '../../app-state.ts';
import type { Created } from './use-send.ts';

const MOST_REASONS = 8;

export function Outlook({ created }: { created: Created }) {
  const { format } = useApp();
  const texts = useTexts();
  const { meta } = created;
  const outlooks = meta.outlooks ?? [];
  const kw = outlooks.every(({ kw }) => kw !== null) ? outlooks.reduce((sum, { kw }) => sum + (kw ?? 0), 0) : null;
  const etaS = outlooks.some(({ eta_s }) => eta_s === null)
    ? null
    : Math.max(0, ...outlooks.map(({ eta_s }) => eta_s ?? 0));
  const isGuess = outlooks.some(({ eta_is_guess }) => eta_is_guess === true);
  const { value: show } = format;
  const eta = etaS === null ? undefined : show.duration(etaS * 1_000);
  return (
    <div class="outlook">
      <p class="big">{texts.act.gets(meta.summary.created_count)}</p>
      <ul>
        {kw !== null && kw > 0 && <li>{texts.act.draw(show.power(kw * 1_000))}</li>}
        {eta !== undefined && <li>{isGuess ? texts.act.etaGuess(eta) : texts.act.eta(eta)}</li>}
        {outlooks.some(({ is_known }) => !is_known) && <li>{texts.act.agentAway}</li>}
        {meta.needs_second_person === true && <li>{texts.task.needsSecond}</li>}
      </ul>
      {meta.pools_preview !== undefined && meta.pools_preview.length > 0 && (
        <>
          <h3>{texts.setAct.preview}</h3>
          <ul class="preview">
            {meta.pools_preview.map(({ ip, user }) => (
              <li key={ip}>
                {ip} → <strong>{user}</strong>
              </li>
            ))}
          </ul>
        </>
      )}
      {meta.skipped.length > 0 && (
        <details open>
          <summary>{texts.act.leftOut(meta.skipped.reduce((sum, { miner_ids }) => sum + miner_ids.length, 0))}</summary>
          <ul>
            {meta.skipped.slice(0, MOST_REASONS).map(({ reason, message, miner_ids }) => (
              <li key={`${reason} ${message}`}>
                {miner_ids.length}: {message}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
