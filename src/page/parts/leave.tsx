// Logging out, and handing a shared phone to the next person: both end the session of this device. Until the service
// has ended it the person is still logged in here, and the page says so.
import { useLocation } from 'preact-iso/router';
import { SESSION } from '../api/paths.ts';
import { useApp, useTexts } from '../app-state.ts';
import { useCommand } from '../live/ask/use-command.ts';
import { RefusalNote } from './bits.tsx';

export function Leave() {
  const app = useApp();
  const texts = useTexts();
  const { route } = useLocation();
  const { run, isBusy, refusal } = useCommand();
  const leave = async () => {
    if ((await run({ method: 'DELETE', path: SESSION })) === undefined) return;
    app.session.value = { kind: 'none' };
    route('/login', true);
  };
  return (
    <>
      <div class="actions">
        {[texts.account.logout, texts.account.switchPerson].map((label) => (
          <button key={label} type="button" class="act" disabled={isBusy} onClick={() => void leave()}>
            {label}
          </button>
        ))}
      </div>
      <RefusalNote refusal={refusal} />
    </>
  );
}
