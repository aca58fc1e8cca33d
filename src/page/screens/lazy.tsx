// A screen that is loaded when it is opened. Where its file does not come, the page says so: after an update of the
// service the files of the build before are gone.
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import loadLater from 'preact-iso/lazy';
import { useApp, useTexts } from '../app-state.ts';

/** A browser keeps that a script has failed, so only the page as a whole can be loaded again. */
const reload = () => location.reload();

export const lazy = <P,>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> =>
  loadLater<FunctionComponent<P>>(() => load().catch((): FunctionComponent<P> => NotLoaded));

function NotLoaded() {
  const { build } = useApp();
  const { about } = useTexts();
  useEffect(() => void build.check(), []);
  // The notice above says it, and has the same button.
  if (build.isReplaced.value) return null;
  return (
    <div class="note note-bad" role="alert">
      <p>{about.notLoaded}</p>
      <button type="button" class="act" onClick={reload}>
        {about.reload}
      </button>
    </div>
  );
}

/** Above every screen. What a person has begun to write is not thrown away without them. */
export function NewBuild() {
  const { build } = useApp();
  const { about } = useTexts();
  if (!build.isReplaced.value) return null;
  return (
    <div class="note new-build" role="alert">
      <p>{about.newBuild}</p>
      <button type="button" class="act act-main" onClick={reload}>
        {about.reload}
      </button>
    </div>
  );
}
