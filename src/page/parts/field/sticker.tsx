// A photo of the sticker of a miner, and what its bar codes say: the browser reads them itself, or what is loaded for
// those that cannot.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useTexts } from '../../app-state.ts';
import { useFarm } from '../../live/farm-state.ts';
import { stickerText } from '../../model/field/sticker.ts';

type Detector = { detect(image: ImageBitmap): Promise<readonly { readonly rawValue: string }[]> };
declare global {
  interface Window {
    /** Not in every browser. */
    readonly BarcodeDetector?: new () => Detector;
  }
}

type StickerProps = { readonly onRead: (text: string) => void };

export function Sticker({ onRead }: StickerProps) {
  const { miners, isKnown } = useFarm();
  const { sticker } = useTexts();
  const state = useSignal<'idle' | 'reading' | 'none' | 'notLoaded'>('idle');
  const codes = useSignal<readonly string[]>([]);
  // Which of several codes is that of a miner can be said when the miners have come.
  useSignalEffect(() => {
    if (codes.value.length === 0 || !isKnown.value) return;
    const text = stickerText(codes.value, miners.peek());
    codes.value = [];
    state.value = text === undefined ? 'none' : 'idle';
    if (text !== undefined) onRead(text);
  });
  const read = async (photo: File) => {
    state.value = 'reading';
    const reader = await readerOfCodes();
    const found = (await reader?.(photo).catch(() => [])) ?? [];
    codes.value = found;
    if (found.length === 0) state.value = reader === undefined ? 'notLoaded' : 'none';
  };
  return (
    <div class="sticker">
      <label class="act">
        {sticker.take}
        <input
          class="hidden"
          type="file"
          accept="image/*"
          capture="environment"
          onChange={({ currentTarget }) => {
            const photo = currentTarget.files?.[0];
            // The same photo may be given again.
            currentTarget.value = '';
            if (photo !== undefined) void read(photo);
          }}
        />
      </label>
      <span role="status">
        {state.value === 'reading' && sticker.reading}
        {state.value === 'none' && sticker.none}
        {state.value === 'notLoaded' && sticker.notLoaded}
      </span>
    </div>
  );
}

type CodeReader = (photo: File) => Promise<readonly string[]>;

/** Undefined = it could not be loaded. What it cannot read is no code: a person takes another photo. */
async function readerOfCodes(): Promise<CodeReader | undefined> {
  const { BarcodeDetector } = window;
  if (BarcodeDetector !== undefined) return (photo) => codesByBrowser(photo, new BarcodeDetector());
  return import('./code-reader.ts').then(({ loadCodeReader }) => loadCodeReader()).catch(() => undefined);
}

async function codesByBrowser(photo: File, detector: Detector): Promise<readonly string[]> {
  const image = await createImageBitmap(photo);
  const found = await detector.detect(image);
  image.close();
  return found.map(({ rawValue }) => rawValue);
}
