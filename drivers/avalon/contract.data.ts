// What the contract excuses this driver from, each with its reason, and what tests need to know of its devices.
import type { ContractData } from '../../src/driver/check/contract-data.ts';
import { RECORDINGS } from './recordings.data.ts';

export const contract = {
  lacks: {
    firmware: 'no way is known',
    log: 'no way is known',
  },
  families: {
    'avalon-home': {
      cannotShow: {
        reboot: { 'wrong password': 'the command goes over TCP, which asks for no login' },
        powerMode: { 'wrong password': 'the command goes over TCP, which asks for no login' },
      },
      lacks: {
        light: 'some home models have one: only the device knows, and says no',
        password: 'it is known of the A series only',
      },
      deviceRefuses: ['light'],
      requests: {
        mean: 1.5,
        target: 2,
      },
      illness: {
        'dead board': 'it has one board: without it nothing hashes',
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: 128,
    },
    'avalon-a': {
      cannotShow: {
        reboot: { 'wrong password': 'the command goes over TCP, which asks for no login' },
        light: { 'wrong password': 'the command goes over TCP, which asks for no login' },
        powerMode: { 'wrong password': 'the command goes over TCP, which asks for no login' },
      },
      requests: {
        mean: 1.5,
        target: 2,
      },
      illness: {
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: 128,
    },
    'avalon-rare': {
      illness: {
        'stopped by heat': 'its firmware reports why it stopped',
      },
      heatCode: 128,
    },
    'avalon-rare Avalon Nano 3s': {
      illness: {
        'dead board': 'it has one board: without it nothing hashes',
        'still fan': 'it has one fan',
      },
    },
    'avalon-old Avalon 741': {
      illness: {
        'still fan': 'it has one fan',
      },
    },
    'avalon-old Avalon 841': {
      illness: {
        'dead board':
          'several machines tell nothing of single boards, and one of eight or more is within what a rate may miss',
        'still fan': 'it reports no speeds of fans',
      },
    },
    'avalon-old Avalon 921': {
      illness: {
        'dead board':
          'several machines tell nothing of single boards, and one of eight or more is within what a rate may miss',
        'still fan': 'it reports no speeds of fans',
      },
    },
    'avalon-old': {
      sleepless: 'its series has no sleep that is known',
    },
  },
  prefers: [
    {
      fields: ['boards[].chipTempAvgC', 'boards[].chipTempMaxC'],
      reason: 'two answers have the same boards in different detail: one of them is read',
    },
    {
      fields: ['deviceTimeS', 'uptimeS', 'hashrateAverageHs'],
      reason: 'two answers of different moments: one of them is read',
    },
    {
      fields: ['firmwareVersion', 'serialNumber'],
      reason:
        'the version answer is of the device, the others of its controller: what stands there was changed for the recording',
    },
  ],
  recordedAs: 'avalon-stock',
  recordings: RECORDINGS,
} satisfies ContractData;
