// What the early builds of 0.2.0 sign in another form: see baseline.ts.
import { type TaskCommand, taskFrameSchema } from './frames.ts';
import { type SignedTask, signedTaskSchema } from './signed-messages.ts';

const TASK_PURPOSE = 'pithead order\n';
const KEY_PURPOSE = 'pithead key of orders\n';

export const baselineTaskBytes = (text: string): Buffer => Buffer.from(TASK_PURPOSE + text);

export const baselineKeyChangeBytes = ({ from, to }: { readonly from: string; readonly to: string }): Buffer =>
  Buffer.from(`${KEY_PURPOSE}${from}\n${to}`);

export const baselineTaskSchema = signedTaskSchema
  .omit({ task: true })
  .extend({ order: taskFrameSchema })
  .transform(({ order, ...rest }): SignedTask => ({ ...rest, task: order }));

export const baselineTaskText = (signedFor: Omit<SignedTask, 'task'>, order: TaskCommand): string =>
  JSON.stringify({ ...signedFor, order });
