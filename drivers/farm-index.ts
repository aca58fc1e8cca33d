// The simulated devices of every driver, in alphabetical order of id. An agent loads none of them.
import type { SimulatedDevices } from './_farm/device.ts';
import { simulated as antminerStock } from './antminer-stock/farm.ts';
import { simulated as auradineFluxos } from './auradine-fluxos/farm.ts';
import { simulated as avalon } from './avalon/farm.ts';
import { simulated as axeos } from './axeos/farm.ts';
import { simulated as braiinsOs } from './braiins-os/farm.ts';
import { simulated as cgminer } from './cgminer/farm.ts';
import { simulated as elphapex } from './elphapex/farm.ts';
import { simulated as epicUmcos } from './epic-umcos/farm.ts';
import { simulated as futurebit } from './futurebit/farm.ts';
import { simulated as goldshell } from './goldshell/farm.ts';
import { simulated as hammer } from './hammer/farm.ts';
import { simulated as hiveon } from './hiveon/farm.ts';
import { simulated as iceriver } from './iceriver/farm.ts';
import { simulated as innosilicon } from './innosilicon/farm.ts';
import { simulated as luxos } from './luxos/farm.ts';
import { simulated as mara } from './mara/farm.ts';
import { simulated as mskminer } from './mskminer/farm.ts';
import { simulated as proto } from './proto/farm.ts';
import { simulated as sealminer } from './sealminer/farm.ts';
import { simulated as vnish } from './vnish/farm.ts';
import { simulated as volcminer } from './volcminer/farm.ts';
import { simulated as whatsminer } from './whatsminer/farm.ts';

export const simulatedDevices: readonly SimulatedDevices[] = [
  antminerStock,
  auradineFluxos,
  avalon,
  axeos,
  braiinsOs,
  cgminer,
  elphapex,
  epicUmcos,
  futurebit,
  goldshell,
  hammer,
  hiveon,
  iceriver,
  innosilicon,
  luxos,
  mara,
  mskminer,
  proto,
  sealminer,
  vnish,
  volcminer,
  whatsminer,
];
