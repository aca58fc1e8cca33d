// The racks and containers of a farm as the service knows them, and how they are changed.
import { useSignal } from '@preact/signals';
import type { z } from 'zod';
import type { containersSchema, rackDetailSchema, racksSchema } from '../../../wire/api/farm/locations.ts';
import { farmPath } from '../../api/paths.ts';
import type { Answer, Method } from '../../api/request.ts';
import { useApp } from '../../app-state.ts';
import { type Refusal, useAsked } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';

export type Racks = z.infer<typeof racksSchema>['data'];
export type Rack = Racks[number];
export type RackDetail = z.infer<typeof rackDetailSchema>;
type Containers = z.infer<typeof containersSchema>['data'];

const EVERY_MS = 10_000;

export const rackPath = (name: string): string => `racks/${encodeURIComponent(name)}`;
export const containerPath = (name: string): string => `containers/${encodeURIComponent(name)}`;

export const useRacks = () => useAsked<Answer<Racks>>(farmPath(useFarm().ref, 'racks'), EVERY_MS);
export const useContainers = () => useAsked<Answer<Containers>>(farmPath(useFarm().ref, 'containers'), EVERY_MS);
export const useRack = (name: string) =>
  useAsked<Answer<RackDetail>>(farmPath(useFarm().ref, rackPath(name)), EVERY_MS);

/** One change at a time; `send` says whether the service has made it. */
export function useChange() {
  const { ask } = useApp();
  const { ref } = useFarm();
  const refusal = useSignal<Refusal | undefined>(undefined);
  const isBusy = useSignal(false);
  const send = async (method: Method, path: string, body?: unknown): Promise<boolean> => {
    if (isBusy.value) return false;
    isBusy.value = true;
    const outcome = await ask({ method, path: farmPath(ref, path), ...(body !== undefined && { body }) });
    isBusy.value = false;
    refusal.value = outcome.kind === 'ok' ? undefined : outcome;
    return outcome.kind === 'ok';
  };
  return { send, refusal, isBusy };
}
