// POST …/miners/{miner_id}/same-chassis: a person says that a new unit stands where another one stood. An extension of
// the interface.
import { RefusedError } from '../../../../base/errors.ts';
import { formatIpv4 } from '../../../../base/net/ipv4.ts';
import { formatDurationMs } from '../../../../base/time/duration.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { chassisKeptSchema, sameChassisSchema } from '../../../../wire/api/farm/locations.ts';
import { anyId } from '../../../../wire/api/forms.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import type { ChassisOutcome } from '../../../store/store.ts';
import { farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { good } from '../../shared/envelope.ts';
import { invalidRequest } from '../../shared/errors.ts';
import { editOf } from './moved.ts';

export function registerSameChassis(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/miners/:miner_id/same-chassis`,
    schema: {
      ...EXTENSION,
      tags: ['locations'],
      params: farmParams.extend({ miner_id: anyId }),
      operationId: 'keepChassisV2',
      summary: 'Say that this miner stands where another one stood, such as after its control board was changed',
      description:
        'The other miner goes on with the facts of this one: its id, location, ops status and history stay, and the id of this one is gone. Refused while the other one still answers, or while two agents claim one of them. It cannot be undone: when the old unit is read again, it is a miner of its own.',
      body: sameChassisSchema,
      response: answers(chassisKeptSchema, 409),
    },
    handler: async (request) => {
      const { replaces } = request.body;
      const join = { ...editOf(request, clock), unit: request.params.miner_id, replaces };
      const outcome = await store.chassis.join(join);
      if (outcome.kind !== 'done') throw toRefusal(outcome);
      const { id, ip_num, mac, serial, model, rack, position } = outcome.miner;
      const facts = { id, ip: formatIpv4(ip_num), mac, serial_number: serial === '' ? null : serial, model };
      return good({ ...facts, rack, position });
    },
  });
}

function toRefusal(outcome: Exclude<ChassisOutcome, { kind: 'done' }>): RefusedError {
  const conflict = (text: string) => new RefusedError('request.conflict', text);
  if (outcome.kind === 'unknown')
    return outcome.which === 'replaces' ? invalidRequest('replaces: the farm has no such miner') : notFound();
  if (outcome.kind === 'same') return invalidRequest('replaces: a miner cannot replace itself');
  const { ip_num, mac } = outcome.miner;
  const name = `${formatIpv4(ip_num)}${mac === '' ? '' : ` (${mac})`}`;
  if (outcome.kind === 'claimed') return conflict(`${name} is reported by two agents: settle that first`);
  const age = formatDurationMs(Math.max(1, Math.round(outcome.ageMs / 1_000)) * 1_000);
  return conflict(`${name} still answers: it was read ${age} ago. Only a miner that is silent can be replaced`);
}
