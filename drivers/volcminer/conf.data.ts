// The form that holds all of a VolcMiner's settings (atlas 21): field of the form, key of the configuration, what
// stands there when it is not told; without the last, it must be told.
export const FIELDS: readonly (readonly [field: string, key: string, otherwise?: string])[] = [
  ['_bb_nobeeper', 'nobeeper', 'false'],
  ['_bb_notempoverctrl', 'notempoverctrl', 'false'],
  ['_bb_fan_customize_switch', 'fan-ctrl', 'false'],
  ['_bb_fan_customize_value_front', 'fan-pwm-front', ''],
  ['_bb_fan_customize_value_back', 'fan-pwm-back', ''],
  ['_bb_freq', 'freq'],
  ['_bb_coin_type', 'coin-type'],
  ['_bb_runmode', 'runmode'],
  ['_bb_voltage_customize_value', 'voltage'],
  ['_bb_ema', 'sram-voltage'],
  ['_bb_debug', 'bb_debug_enable', 'false'],
];
