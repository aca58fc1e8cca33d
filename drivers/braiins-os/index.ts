// Braiins OS on Antminer hardware: REST from 25.07, GraphQL from 22.08, CGMiner words on TCP before that. What answers
// decides the generation.
import { z } from 'zod';
import { defineDriver } from '../../src/driver/contract.ts';
import { first } from '../../src/driver/fields.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { present, versionTexts } from '../_dialects/cgminer.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { modelOf } from './parts.ts';
import { read } from './read.ts';
import { nameOfType } from './read-bmminer.ts';
import { replies } from './replies.ts';
import { graphql, luci, QUERIES, rest } from './requests.ts';

const via = 'cgminer';

/** A device that does not know the first of these has no REST at all. */
const goesWith = 'details';

/** BOSminer answers with sensors or fans; what is no word of its own it answers with an error. */
const sensors = z.object({ temps: z.tuple([z.object({ TEMPS: z.array(z.unknown()) })]) });
const lacksSensors = (answer: unknown) => !sensors.safeParse(answer).success;

export const braiinsOs = defineDriver({
  id: 'braiins-os',
  make: 'Antminer',
  families: FAMILIES,
  covers: [
    { models: 'Antminer S19 XP', firmware: 'Braiins OS 25.07', evidence: 'recording' },
    { models: 'Antminer S21+, S21, S9', firmware: 'Braiins OS 22.08 to 25.03', evidence: 'recording' },
    { models: 'Antminer S17', firmware: 'BOSminer before 22.08', evidence: 'simulated' },
    { models: 'Antminer S9', firmware: 'Braiins OS of 2018 and 2019', evidence: 'claimed' },
    { models: 'Antminer S9, S17, S19, S21, T21 families', firmware: 'any other Braiins OS', evidence: 'claimed' },
  ],
  asks: {
    details: { every: 'poll', ...rest('miner/details') },
    stats: { every: 'poll', goesWith, ...rest('miner/stats') },
    hashboards: { every: 'poll', goesWith, ...rest('miner/hw/hashboards') },
    cooling: { every: 'poll', goesWith, ...rest('cooling/state') },
    pools: { every: 'slow', goesWith, ...rest('pools') },
    configuration: { every: 'slow', goesWith, ...rest('configuration/miner') },
    tunerState: { every: 'slow', goesWith, ...rest('performance/tuner-state') },
    errors: { every: 'slow', goesWith, ...rest('miner/errors') },
    locate: { every: 'slow', goesWith, ...rest('actions/locate') },
    network: { every: 'static', goesWith, ...rest('network') },
    version: { every: 'static', goesWith, ...rest('version') },

    gqlSystem: { every: 'poll', insteadOf: 'details', ...graphql(QUERIES.system) },
    gqlBoards: { every: 'poll', insteadOf: 'hashboards', goesWith: 'gqlSystem', ...graphql(QUERIES.boards) },
    gqlVoltages: { every: 'slow', insteadOf: 'configuration', goesWith: 'gqlSystem', ...graphql(QUERIES.voltages) },
    gqlPools: { every: 'slow', insteadOf: 'pools', goesWith: 'gqlSystem', ...graphql(QUERIES.pools) },
    gqlTuning: { every: 'slow', insteadOf: 'configuration', goesWith: 'gqlSystem', ...graphql(QUERIES.tuning) },
    gqlEvents: { every: 'slow', insteadOf: 'errors', goesWith: 'gqlSystem', ...graphql(QUERIES.events) },
    lan: { every: 'static', insteadOf: 'network', ...luci('admin/network/iface_status/lan') },
    gqlModel: { every: 'static', insteadOf: 'version', goesWith: 'gqlSystem', ...graphql(QUERIES.model) },
    gqlSerials: { every: 'static', insteadOf: 'version', goesWith: 'gqlSystem', ...graphql(QUERIES.serials) },

    tcp: { every: 'poll', insteadOf: 'gqlSystem', via, command: 'summary+devs+temps+fans+tunerstatus' },
    // The first generation has these in the place of the sensors.
    tcpStats: { every: 'poll', insteadOf: 'tcp', isLacking: lacksSensors, via, command: 'stats' },
    tcpPools: { every: 'slow', insteadOf: 'gqlPools', via, command: 'pools' },
    bosInfo: { every: 'static', insteadOf: 'gqlModel', ...luci('bos/info') },
    tcpDetails: { every: 'static', insteadOf: 'gqlModel', via, command: 'devdetails+version' },
  },
  replies,
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'root', password: '' } },
  quirks: { warmUpS: 900 },
  identify(evidence) {
    const { family, devdetails, version } = evidence;
    if (family !== 'braiins-os') return undefined;
    const reported = first(versionTexts(devdetails).Model, nameOfType(versionTexts(version).Type));
    const model = modelOf(reported);
    return present({
      confidence: confidenceOf(evidence),
      make: model?.make ?? 'Antminer',
      model: model?.model ?? reported,
    });
  },
  read,
});
