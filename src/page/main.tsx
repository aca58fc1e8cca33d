// The web page begins here: one state, one root.
import { render } from 'preact';
import { App } from './app.tsx';
import { AppContext, createAppState } from './app-state.ts';
import './style/page.css';
import { loadTexts } from './text/load.ts';

/** Of a person. A mouse moves when a table is bumped, so its moves are none. */
const SIGNS = ['pointerdown', 'keydown', 'wheel'] as const;

const root = document.getElementById('page');
if (root !== null) {
  const app = createAppState(loadTexts);
  for (const sign of SIGNS) addEventListener(sign, app.presence.note, { capture: true, passive: true });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') app.presence.note();
  });
  // Such as a part of the page that is loaded later and is gone.
  addEventListener('unhandledrejection', () => void app.build.check());
  void app.start();
  render(
    <AppContext.Provider value={app}>
      <App />
    </AppContext.Provider>,
    root,
  );
}
