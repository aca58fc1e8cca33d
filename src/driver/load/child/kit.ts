// What a driver file gets as its argument: all that drivers are written with.
import { z } from 'zod';
import { PeerError } from '../../../base/errors.ts';
import { defineDriver, reply } from '../../contract.ts';
import * as fields from '../../fields.ts';
import { confidenceOf, isWholeCgminer, speaksCgminer } from '../../proof.ts';

export const kit = { ...fields, defineDriver, reply, confidenceOf, isWholeCgminer, speaksCgminer, PeerError, z };
