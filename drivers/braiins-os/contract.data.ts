// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  families: {
    'braiins-graphql': {
      lacks: {
        firmware: 'GraphQL has no way to send a file',
        password: 'what GraphQL wants for it is not known',
      },
      requests: {
        mean: 5.7,
        target: 3,
      },
    },
    'braiins-tcp': {
      cannotShow: {
        powerMode: { 'wrong password': 'the command goes over TCP, which asks for no login' },
      },
      lacks: {
        reboot: 'firmware that answers over TCP only can be stopped and started, and told nothing else',
        light: 'firmware that answers over TCP only can be stopped and started, and told nothing else',
        pools: 'firmware that answers over TCP only can be stopped and started, and told nothing else',
        firmware: 'firmware that answers over TCP only can be stopped and started, and told nothing else',
        log: 'firmware that answers over TCP only can be stopped and started, and told nothing else',
        password: 'firmware that answers over TCP only can be stopped and started, and told nothing else',
      },
      requests: {
        mean: 5.7,
      },
      illness: {
        asleep: 'nothing that it reports tells a pause from a stop',
      },
    },
    'braiins-rest': {
      cannotShow: {
        password: {
          'done nothing': 'as it leaves the factory it lets in with any password, so that none is proven',
        },
        reboot: {
          'nonsense reply':
            'it takes an answer that it cannot read for a refusal, though the command may have been carried out',
        },
        light: {
          'nonsense reply':
            'it takes an answer that it cannot read for a refusal, though the command may have been carried out',
        },
        powerMode: {
          'nonsense reply':
            'it takes an answer that it cannot read for a refusal, though the command may have been carried out',
        },
        pools: {
          'nonsense reply':
            'it takes an answer that it cannot read for a refusal, though the command may have been carried out',
        },
        firmware: {
          'nonsense reply':
            'it takes an answer that it cannot read for a refusal, though the command may have been carried out',
        },
      },
      showsDeadPool: true,
      requests: {
        mean: 5.8,
        target: 6,
      },
    },
  },
  prefers: [
    {
      fields: [
        'boards[].hwErrors',
        'hashrateAverageHs',
        'hashrateSettledHs',
        'uptimeS',
        'powerLimitW',
        'pools[].difficulty',
        'pools[].difficultyAccepted',
        'pools[].difficultyRejected',
        'pools[].difficultyStale',
        'pools[].stale',
        'firmwareVersion',
        'apiVersion',
      ],
      reason: 'what the firmware shows on TCP stands in for its newer interface, and has other fields',
    },
  ],
  recordings: RECORDINGS,
} satisfies ContractData;
