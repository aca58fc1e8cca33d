// What Antminers broadcast when their IP-report button is pressed, and those that were made after them.
import type { IpReportForm } from '../../src/driver/recognition.ts';

export const BITMAIN_IP_REPORT: IpReportForm = {
  port: 14_235,
  words: /^\[?([\d.]+)(?:\/[^\]]*\])?,([0-9A-Fa-f:]+)$/,
};
