// What the early builds of 0.2.0 say in other words, so that their agents and services work with those of today while
// a farm is upgraded. Nothing else knows these words; they go with the last such build.

type Message = Readonly<Record<string, unknown>>;

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A hello of such an agent: what answers it has to be in its words. */
export const isBaselineHello = (frame: unknown): frame is Message =>
  isMessage(frame) && frame.type === 'hello' && frame.instance_id === undefined && frame.home !== undefined;

/** A frame that was received, as it is said today. */
export function inTodaysWords(frame: unknown): unknown {
  if (isBaselineHello(frame)) return { ...frame, instance_id: frame.home };
  return isMessage(frame) && frame.type === 'lane' ? { ...frame, type: 'epoch' } : frame;
}

export type BaselineFrame = Message & { readonly type: 'lane' };

/** A frame about an epoch, for a peer of that version. */
export const inBaselineWords = (frame: Message & { readonly type: 'epoch' }): BaselineFrame => ({
  ...frame,
  type: 'lane',
});

/** The name of its registry of miners, for a service of that version; today's hears `instance_id`. */
export const helloForBaseline = (instanceId: string) => ({ home: instanceId });
