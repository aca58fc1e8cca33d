// Bounds that fit a farm of any size: a plain number, or a share of what this agent knows of the farm. Pure.
import { z } from 'zod';

/** `share` is a part of one: 0.05 = 5 %. */
export type NumberOrShare = number | { readonly share: number };

/** However small the farm is, a share is never less than this, and however large, never more. */
type Clamp = { readonly least: number; readonly most: number };

const PERCENT = /^(\d{1,3}(?:\.\d{1,2})?)\s?%$/;

/** `number` says what a plain number may be; `form` says it in words. */
export function numberOrShare(number: z.ZodNumber, form: string) {
  const error = `accepted: a ${form}, or a share such as '5 %'`;
  const share = z.string().transform((text, context) => {
    const percent = Number(PERCENT.exec(text.trim())?.[1]);
    if (percent > 0 && percent <= 100) return { share: percent / 100 };
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
  return z.union([number, share], { error }).meta({ form: `${form}, or a share such as \`5 %\`` });
}

/** What a setting comes to where the whole is `whole`. */
export function amountOf(setting: NumberOrShare, whole: number, { least, most }: Clamp): number {
  if (typeof setting === 'number') return setting;
  return Math.min(most, Math.max(least, whole * setting.share));
}

/** Of miners that are worked on at once. */
const MINERS: Clamp = { least: 5, most: 200 };
/** Of the power that may start at once, in kW: that of twenty ordinary miners, and no limit upwards. */
const POWER_KW: Clamp = { least: 90, most: Number.POSITIVE_INFINITY };

/** How many miners may be worked on at once, on a farm of so many. */
export const minersAtOnce = (setting: NumberOrShare, farmMiners: number): number =>
  Math.floor(amountOf(setting, farmMiners, MINERS));

/** How much may start into full load within a window, on a farm that draws so much. */
export const startingKw = (setting: NumberOrShare, farmW: number): number => amountOf(setting, farmW / 1_000, POWER_KW);
