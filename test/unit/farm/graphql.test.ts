// GraphQL as the simulated devices speak it: what foreign clients may write, and that nothing runs while a field is
// wrong.
import { expect, test } from 'vitest';
import { answerGraphql, fail, type Node } from '../../../drivers/_farm/servers/graphql.ts';

const ask = (query: string, mutation: Node = {}, variables?: object) =>
  answerGraphql(JSON.stringify({ query, variables }), {
    query: {
      a: 1,
      list: [
        { name: 'x', n: 1 },
        { name: 'y', n: 2 },
      ],
      config: { __typename: 'Config', mode: 'ON' },
      nothing: null,
    },
    mutation,
  });

test('fields, lists, aliases, names and blanks', () => {
  expect(ask('{a list{name}}')).toEqual({ data: { a: 1, list: [{ name: 'x' }, { name: 'y' }] } });
  expect(ask('query some {\n  other: a, nothing { deep } }')).toEqual({ data: { other: 1, nothing: null } });
});

test('fragments count for their own type', () => {
  const query = '{ config { __typename ... on Config { mode } ... on ConfigError { message } } }';
  expect(ask(query)).toEqual({ data: { config: { __typename: 'Config', mode: 'ON' } } });
});

test('an unknown field spoils the whole, also in a list, and nothing runs', () => {
  let runs = 0;
  const act = () => {
    runs++;
    return { ok: true };
  };
  expect(ask('{ a list { name age } }')).toMatchObject({ data: null, errors: [{ message: 'Unknown field "age"' }] });
  expect(ask('mutation { act { ok } wrong { ok } }', { act })).toMatchObject({ data: null });
  expect(runs).toBe(0);
  expect(ask('mutation { act { ok } }', { act })).toEqual({ data: { act: { ok: true } } });
  expect(runs).toBe(1);
});

test('arguments as values, variables, objects and lists', () => {
  const echo = (args: Readonly<Record<string, unknown>>): Node => JSON.stringify(args);
  const query =
    'mutation ($on: Boolean!, $list: [In!]!) { echo(on: $on, list: $list, mode: POWER, deep: { n: [1, -2.5], t: "a\\"b" }) }';
  expect(ask(query, { echo }, { on: true, list: [{ x: 1 }] })).toEqual({
    data: { echo: JSON.stringify({ on: true, list: [{ x: 1 }], mode: 'POWER', deep: { n: [1, -2.5], t: 'a"b' } }) },
  });
});

test('what is no operation, and an action that fails, are errors of the top level', () => {
  const act = () => fail('Unauthorized');
  expect(ask('mutation { act }', { act })).toMatchObject({ errors: [{ message: 'Unauthorized' }] });
  expect(ask('{ a')).toMatchObject({ errors: [{ message: expect.stringContaining('Syntax error') }] });
  expect(answerGraphql('no json', { query: {}, mutation: {} })).toMatchObject({ errors: [{}] });
});
