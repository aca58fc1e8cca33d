// …/racks and …/containers: which rack stands in which container, the shape of a rack, and who stands in its slots. An
// extension of the interface.
import { z } from 'zod';
import { RefusedError } from '../../../../base/errors.ts';
import { formatIpv4 } from '../../../../base/net/ipv4.ts';
import { locationLabel } from '../../../../model/locations/location.ts';
import { slotsOf } from '../../../../model/locations/rack-grid.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf } from '../../../../wire/api/envelope.ts';
import {
  containerSchema,
  containersSchema,
  locationNameSchema,
  rackDetailSchema,
  rackEditSchema,
  rackSchema,
  racksSchema,
} from '../../../../wire/api/farm/locations.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { type Container, type Rack, type RackOutcome, type Standing, TOO_MANY } from '../../../store/store.ts';
import { farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { good } from '../../shared/envelope.ts';
import { invalidRequest } from '../../shared/errors.ts';
import { editOf } from './moved.ts';

const described = { ...EXTENSION, tags: ['locations'], params: farmParams };
const rackParams = farmParams.extend({ rack: locationNameSchema });
const containerParams = farmParams.extend({ container: locationNameSchema });

export function registerRacks(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/racks`,
    schema: {
      ...described,
      operationId: 'listRacksV2',
      summary: 'Racks of a farm, also those that only miners name',
      response: answers(racksSchema),
    },
    handler: async (request) => good((await store.racks.listRacks(farmOf(request).id)).map(toRackItem)),
  });
  app.route({
    method: 'GET',
    url: `${V2_FARM}/racks/:rack`,
    schema: {
      ...described,
      params: rackParams,
      operationId: 'getRackV2',
      summary: 'A rack with its slots, and the miner in each',
      response: answers(answerOf(rackDetailSchema)),
    },
    handler: async (request) => {
      const found = await store.racks.findRack(farmOf(request).id, request.params.rack);
      if (found === undefined) throw notFound();
      return good(toDetail(found));
    },
  });
  app.route({
    method: 'PUT',
    url: `${V2_FARM}/racks/:rack`,
    schema: {
      ...described,
      params: rackParams,
      operationId: 'putRackV2',
      summary: 'Set the container and the shape of a rack',
      description: 'Fields that are not given stay. Miners that stand in the rack stay where they are.',
      body: rackEditSchema,
      response: answers(answerOf(rackSchema), 409),
    },
    handler: async (request) => {
      const { rack: name } = request.params;
      const { container, shape } = request.body;
      const outcome = await store.racks.putRack({ ...editOf(request, clock), name, container, shape });
      if (outcome.kind !== 'done') throw toRefusal(outcome, name, container ?? '');
      return good(toRackItem(outcome.rack));
    },
  });
  app.route({
    method: 'DELETE',
    url: `${V2_FARM}/racks/:rack`,
    schema: {
      ...described,
      params: rackParams,
      operationId: 'removeRackV2',
      summary: 'Forget the container and the shape of a rack',
      description: 'Its miners keep the name of the rack and their positions.',
      response: answers(answerOf(z.strictObject({ name: z.string() }))),
    },
    handler: async (request) => {
      const { rack: name } = request.params;
      if (!(await store.racks.removeRack({ ...editOf(request, clock), name }))) throw notFound();
      return good({ name });
    },
  });
}

export function registerContainers(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/containers`,
    schema: {
      ...described,
      operationId: 'listContainersV2',
      summary: 'Containers of a farm',
      response: answers(containersSchema),
    },
    handler: async (request) => good((await store.racks.listContainers(farmOf(request).id)).map(toContainerItem)),
  });
  app.route({
    method: 'PUT',
    url: `${V2_FARM}/containers/:container`,
    schema: {
      ...described,
      params: containerParams,
      operationId: 'putContainerV2',
      summary: 'Make a container known, so that racks can stand in it',
      response: answers(answerOf(containerSchema), 409),
    },
    handler: async (request) => {
      const { container: name } = request.params;
      const edit = editOf(request, clock);
      if (!(await store.racks.putContainer({ ...edit, name }))) throw new RefusedError('request.conflict', TOO_MANY);
      const found = (await store.racks.listContainers(edit.farmId)).find((container) => container.name === name);
      return good(toContainerItem(found ?? { name, rackCount: 0, minerCount: 0 }));
    },
  });
  app.route({
    method: 'DELETE',
    url: `${V2_FARM}/containers/:container`,
    schema: {
      ...described,
      params: containerParams,
      operationId: 'removeContainerV2',
      summary: 'Forget a container in which no rack stands',
      response: answers(answerOf(z.strictObject({ name: z.string() })), 409),
    },
    handler: async (request) => {
      const { container: name } = request.params;
      const outcome = await store.racks.removeContainer({ ...editOf(request, clock), name });
      if (outcome === 'unknown') throw notFound();
      if (outcome !== 'removed')
        throw new RefusedError('request.conflict', `Racks stand in the container ${name}: ${someOf(outcome)}`);
      return good({ name });
    },
  });
}

const MAX_NAMED = 5;
const someOf = (names: readonly string[]) =>
  [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [])].join(', ');

const toRackItem = ({ name, container, shape, minerCount }: Rack) => ({
  ...{ name, container, shape, miner_count: minerCount },
});
const toContainerItem = ({ name, rackCount, minerCount }: Container) => ({
  ...{ name, rack_count: rackCount, miner_count: minerCount },
});

const toOccupant = ({ id, ipNum, mac, serial, model }: Standing) => ({
  ...{ id, ip: formatIpv4(ipNum), mac, serial_number: serial === '' ? null : serial, model },
});

function toDetail({
  miners,
  ...rack
}: Rack & { readonly miners: readonly Standing[] }): z.infer<typeof rackDetailSchema> {
  const { name, shape } = rack;
  const placed = new Map(
    miners.flatMap((miner) => (miner.position === null ? [] : [[miner.position, miner] as const])),
  );
  const slots =
    shape === null ? [...placed.keys()].map((position) => ({ position, row: null, column: null })) : slotsOf(shape);
  return {
    ...toRackItem(rack),
    slots: slots.map((slot) => {
      const miner = placed.get(slot.position);
      const label = locationLabel({ rack: name, position: slot.position }) ?? '';
      return { ...slot, label, miner: miner === undefined ? null : toOccupant(miner) };
    }),
    unplaced: miners.filter(({ position }) => position === null).map(toOccupant),
  };
}

function toRefusal(outcome: Exclude<RackOutcome, { kind: 'done' }>, rack: string, container: string): RefusedError {
  if (outcome.kind === 'no-container')
    return invalidRequest(`container: the farm has no container ${container}; PUT …/containers/${container} makes it`);
  if (outcome.kind === 'full') return new RefusedError('request.conflict', TOO_MANY);
  const named = outcome.miners.map(
    ({ ipNum, position }) => `${formatIpv4(ipNum)} at ${locationLabel({ rack, position }) ?? rack}`,
  );
  const more = outcome.count - named.length;
  const all = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return new RefusedError('request.conflict', `The shape has no room for miners that stand in the rack: ${all}`);
}
