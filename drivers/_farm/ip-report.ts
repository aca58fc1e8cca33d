// What a simulated device broadcasts when a person presses its IP-report button.
import type { Truth } from './truth.ts';

export type ReportFacts = Pick<Truth, 'ip' | 'model' | 'serial_number' | 'firmware_version'> & { readonly mac: string };
export type Report = { readonly port: number; readonly bytes: Buffer };

export const textReport = (port: number, words: string): Report => ({ port, bytes: Buffer.from(words, 'latin1') });

export const bitmainReport = ({ ip, mac }: ReportFacts): Report => textReport(14_235, `${ip},${mac}\0`);
