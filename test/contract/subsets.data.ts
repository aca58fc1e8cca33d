// Where a driver reports something else of a part of a device's answers than of all of them, with the reason. Nothing else may change.

/** `driver`: `*` = any. A field of the entries of a list is `boards[].<field>`. */
export type Preference = { readonly driver: string; readonly fields: readonly string[]; readonly reason: string };

export const PREFERS: readonly Preference[] = [
  {
    driver: '*',
    fields: ['expected.hashrateHs'],
    reason: 'the nameplate stands in while the answer with the figure of the device is missing',
  },
  {
    driver: 'mskminer',
    fields: ['expected.own'],
    reason: 'that its boards are all there is known by the model that another answer names',
  },
  {
    driver: 'antminer-stock',
    fields: ['boards[].serialNumber', 'boards[].expectedHashrateHs'],
    reason:
      'the boards of the page count otherwise than those of TCP: one list is taken, and TCP has no serial numbers',
  },
  {
    driver: 'antminer-stock',
    fields: ['expected.fans'],
    reason: 'the table stands in while the answer with the count of the device itself is missing',
  },
  {
    driver: 'antminer-stock',
    fields: ['firmwareVersion'],
    reason: 'the date of the build stands in for the version of the file system',
  },
  {
    driver: 'antminer-stock',
    fields: ['model', 'expected.chipsPerBoard'],
    reason: 'the recording has the TCP answers of one machine and the page of another',
  },
  {
    driver: 'auradine-fluxos',
    fields: ['tempC', 'boards[].boardTempsC'],
    reason: 'one sensor per board on TCP stands in for the sensors of the API',
  },
  {
    driver: 'avalon',
    fields: ['boards[].chipTempAvgC', 'boards[].chipTempMaxC'],
    reason: 'two answers have the same boards in different detail: one of them is read',
  },
  {
    driver: 'avalon',
    fields: ['deviceTimeS', 'uptimeS', 'hashrateAverageHs'],
    reason: 'two answers of different moments: one of them is read',
  },
  {
    driver: 'avalon',
    fields: ['firmwareVersion', 'serialNumber'],
    reason:
      'the version answer is of the device, the others of its controller: what stands there was changed for the recording',
  },
  {
    driver: 'braiins-os',
    fields: [
      ...['boards[].hwErrors', 'hashrateAverageHs', 'hashrateSettledHs', 'uptimeS', 'powerLimitW'],
      ...['pools[].difficulty', 'pools[].difficultyAccepted', 'pools[].difficultyRejected', 'pools[].difficultyStale'],
      ...['pools[].stale', 'firmwareVersion', 'apiVersion'],
    ],
    reason: 'what the firmware shows on TCP stands in for its newer interface, and has other fields',
  },
  { driver: 'epic-umcos', fields: ['boards[].boardTempsC'], reason: 'the summary has one sensor per board' },
  {
    driver: 'hammer',
    fields: ['firmwareVersion'],
    reason: 'the version of the file system stands in for that of the mining program',
  },
  { driver: 'hiveon', fields: ['firmwareVersion'], reason: 'the date of the build stands in for the version' },
  {
    driver: 'innosilicon',
    fields: [...['boards[].isAlive', 'hashrateAverageHs', 'hashrateSettledHs', 'hashrateWindow', 'tempC', 'uptimeS']],
    reason: 'TCP stands in for the page, and has other windows and sensors',
  },
  {
    driver: 'luxos',
    fields: ['tempC'],
    reason: 'one temperature per board stands in for the sensors',
  },
  {
    driver: 'proto',
    fields: ['hashrateHs', 'powerW'],
    reason: 'the status of another moment stands in for the telemetry',
  },
  {
    driver: 'proto',
    fields: ['tempC'],
    reason:
      'without the status, which has the mean of the chips, the sensors on the boards are the hottest that is told',
  },
  {
    driver: 'sealminer',
    fields: ['hashrateHs', 'hashrateWindow', 'pools[].difficulty'],
    reason: 'the start page stands in where TCP is closed: the mean since the start, and the pools in its own words',
  },
  {
    driver: 'vnish',
    fields: ['boards[].boardTempsC', 'boards[].isAlive', 'hashrateWindow', 'uptimeS'],
    reason: 'TCP stands in for the page, and has other fields',
  },
  {
    driver: 'vnish',
    fields: ['isMining'],
    reason: 'a rate shows that it mines as long as the state that says otherwise is missing',
  },
  {
    driver: 'volcminer',
    fields: [
      ...['apiVersion', 'deviceTimeS', 'tempC', 'boards[].boardTempsC', 'boards[].hwErrors', 'pools[].difficulty'],
      ...['pools[].difficultyAccepted', 'pools[].difficultyRejected', 'pools[].difficultyStale', 'pools[].stale'],
    ],
    reason: 'TCP is asked only where the page says nothing: it has one sensor per board, and fields of its own',
  },
  {
    driver: 'whatsminer',
    fields: ['firmwareVersion'],
    reason: 'the version answer of the recording is of another day than the summary',
  },
];
