// Faults of a Proto rig by where they come from and their code; for others see read.ts.
import type { ErrorReading } from '../../src/model/reading.ts';

type Row = Pick<ErrorReading, 'category' | 'severity'> & { readonly message: string };

export const FAULTS: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  rig: {
    InsufficientCooling: { message: 'Bay without enough working fans', category: 'fan', severity: 'critical' },
    PoolConnectionFailure: { message: 'Pool not reachable', category: 'pool', severity: 'major' },
    PoolConfigMissing: { message: 'No pool configured', category: 'pool', severity: 'critical' },
    MiningStoppedDueToPhaseImbalance: {
      message: 'Mining stopped: phase balancing lost a bay',
      category: 'psu',
      severity: 'critical',
    },
    PSURecoveryInProgress: { message: 'PSU of a bay recovering', category: 'psu', severity: 'major' },
    NetworkError: { message: 'No network', category: 'network', severity: 'major' },
    FirmwareUpdateFailure: { message: 'Firmware update failed', category: 'firmware', severity: 'major' },
  },
  fan: {
    FanHardware: { message: 'Fan hardware fault', category: 'fan', severity: 'critical' },
    FanSlow: { message: 'Fan slow or stalled', category: 'fan', severity: 'major' },
    SetFanSpeedFailed: { message: 'Fan speed could not be set', category: 'fan', severity: 'minor' },
    FanConnectedInImmersion: { message: 'Fan connected while in immersion mode', category: 'config', severity: 'info' },
  },
  hashboard: {
    HbOverHeat: { message: 'Board too hot', category: 'temperature', severity: 'critical' },
    AsicEnumeration: { message: 'Chips not all found', category: 'hashboard', severity: 'major' },
    HbCommunication: { message: 'Board communication lost', category: 'hashboard', severity: 'critical' },
    CommTasksNotInitialized: { message: 'Board communication lost', category: 'hashboard', severity: 'critical' },
    InvalidAddWorkResponse: { message: 'Board communication lost', category: 'hashboard', severity: 'critical' },
    InvalidMetadataResponse: { message: 'Board communication lost', category: 'hashboard', severity: 'critical' },
    MissingCommChannel: { message: 'Board communication lost', category: 'hashboard', severity: 'critical' },
    CommandTimeout: { message: 'Board communication lost', category: 'hashboard', severity: 'critical' },
    TaskCommunicationError: { message: 'Board communication lost', category: 'hashboard', severity: 'critical' },
    CommsAlive: { message: 'Board communication lost', category: 'hashboard', severity: 'critical' },
    AsicEcc: { message: 'Many ECC errors', category: 'hashboard', severity: 'minor' },
    HbUnderVoltage: { message: 'Board voltage low', category: 'hashboard', severity: 'major' },
    HbOverVoltage: { message: 'Board voltage high', category: 'hashboard', severity: 'critical' },
    HbOverCurrent: { message: 'Board current high', category: 'hashboard', severity: 'critical' },
    AsicOverHeat: { message: 'Chip too hot', category: 'temperature', severity: 'critical' },
    AsicUnderHeat: { message: 'Chip too cold', category: 'temperature', severity: 'minor' },
    AsicNotHashing: { message: 'Chip not hashing', category: 'hashrate', severity: 'major' },
    PowerLost: { message: 'Board lost power', category: 'psu', severity: 'critical' },
  },
  psu: {
    PsuCommLost: { message: 'PSU does not answer', category: 'psu', severity: 'major' },
    PsuOutputUnderVoltage: { message: 'PSU output voltage low', category: 'psu', severity: 'critical' },
    PsuOutputOverVoltage: { message: 'PSU output voltage high', category: 'psu', severity: 'critical' },
    PsuOutputFailure: { message: 'PSU output failed', category: 'psu', severity: 'critical' },
    PsuOutputOverCurrent: { message: 'PSU output current high', category: 'psu', severity: 'critical' },
    PsuOverTemperature: { message: 'PSU too hot', category: 'temperature', severity: 'critical' },
    PsuUnderTemperature: { message: 'PSU too cold', category: 'temperature', severity: 'minor' },
    PsuInputUnderVoltage: { message: 'PSU input voltage low', category: 'psu', severity: 'major' },
    PsuInputOverVoltage: { message: 'PSU input voltage high', category: 'psu', severity: 'major' },
    PsuInputOverCurrent: { message: 'PSU input current high', category: 'psu', severity: 'major' },
  },
};
