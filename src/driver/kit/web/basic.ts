// HTTP basic: user and password go along with each request. Few devices want it, and only over a network of their own.
import type { CarriedLogin } from '../../../transport/request.ts';

export const basicLogin: CarriedLogin = {
  carry: ({ user, password }) => ({
    headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
  }),
};
