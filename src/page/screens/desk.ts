// The screens of the desk, which are loaded together.
export { Audit } from './audit/audit.tsx';
export { Account } from './entry/account.tsx';
export { More } from './more/more.tsx';
export { People } from './people/people.tsx';
export { Person } from './people/person.tsx';
