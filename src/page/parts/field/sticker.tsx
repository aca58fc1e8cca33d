// A photo of the sticker of a miner, whose bar codes the browser itself reads. Where it cannot, there is no button.
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
  const state = useSignal<'idle' | 'reading' | 'none'>('idle');
  const codes = useSignal<readonly string[]>([]);
  // Which of several codes is that of a miner can be said when the miners have come.
  useSignalEffect(() => {
    if (codes.value.length === 0 || !isKnown.value) return;
    const text = stickerText(codes.value, miners.peek());
    codes.value = [];
    state.value = text === undefined ? 'none' : 'idle';
    if (text !== undefined) onRead(text);
  });
  const { BarcodeDetector } = window;
  if (BarcodeDetector === undefined) return null;
  const read = async (photo: File) => {
    state.value = 'reading';
    const found = await codesOf(photo, new BarcodeDetector());
    codes.value = found;
    if (found.length === 0) state.value = 'none';
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
      </span>
    </div>
  );
}

/** Empty where nothing can be read, for whatever reason: a person takes another photo. */
async function codesOf(photo: File, detector: Detector): Promise<readonly string[]> {
  try {
    const image = await createImageBitmap(photo);
    const found = await detector.detect(image);
    image.close();
    return found.map(({ rawValue }) => rawValue);
  } catch {
    return [];
  }
}
