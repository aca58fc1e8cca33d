// What a technician hears and feels without looking at the screen: a high tone = placed, a low one = look here. A phone
// that has no tone, or was never touched, stays silent.
import { useEffect } from 'preact/hooks';

const TONES = { placed: [880], attention: [330, 330] } as const satisfies Readonly<Record<string, readonly number[]>>;
const TONE_S = 0.12;
const GAP_S = 0.08;
const LOUDNESS = 0.4;

export type Sign = keyof typeof TONES;

let audio: AudioContext | undefined;

export function give(sign: Sign): void {
  navigator.vibrate?.(sign === 'placed' ? 60 : [80, 60, 80]);
  if (!('AudioContext' in globalThis)) return;
  audio ??= new AudioContext();
  // A browser lets pages sound once a person has touched them.
  if (audio.state === 'suspended') void audio.resume().catch(() => {});
  if (audio.state !== 'running') return;
  let at = audio.currentTime;
  for (const frequency of TONES[sign]) {
    const tone = new OscillatorNode(audio, { frequency });
    tone.connect(new GainNode(audio, { gain: LOUDNESS })).connect(audio.destination);
    tone.start(at);
    tone.stop(at + TONE_S);
    at += TONE_S + GAP_S;
  }
}

/** The screen stays on while its caller is shown. Only pages over TLS may ask for that. */
export function useWakeLock(): void {
  useEffect(() => {
    let held: WakeLockSentinel | undefined;
    let isOver = false;
    const hold = async () => {
      if (!('wakeLock' in navigator) || document.visibilityState !== 'visible') return;
      // Refused where the battery is low.
      const lock = await navigator.wakeLock.request('screen').catch(() => undefined);
      if (isOver) await lock?.release();
      else held = lock;
    };
    const again = () => void hold();
    again();
    document.addEventListener('visibilitychange', again);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', again);
      void held?.release();
    };
  }, []);
}
