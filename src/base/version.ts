// The version of this program, in one place; the packaging checks that package.json says the same.
export const VERSION = '0.2.0';
