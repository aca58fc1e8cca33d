// What is wrong with a file of data, in words.
import type { z } from 'zod';

export const explainIssues = (file: string, { issues }: z.ZodError): string =>
  [
    `${file} does not fit \`contractSchema\` of src/driver/check/contract-data.ts:`,
    ...issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`),
  ].join('\n');
