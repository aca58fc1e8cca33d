// The part of zod 4 that the kit's own types and the drivers are written with, for an editor without zod. A test holds
// it to the library.
/** Shapes of values, as of the answer that proves a family. It is zod 4: https://zod.dev has the rest. */
export declare namespace z {
  interface ZodType<O = unknown> {
    readonly _output: O;
    parse(value: unknown): O;
    safeParse(value: unknown): ZodSafeParseResult<O>;
    optional(): ZodOptional<this>;
    nullable(): ZodNullable<this>;
    default(value: O): ZodDefault<this>;
    refine(check: (value: O) => unknown): this;
    transform<T>(change: (value: O) => T): ZodType<T>;
    array(): ZodArray<this>;
    or<T extends ZodType>(other: T): ZodType<O | T['_output']>;
  }
  type ZodSafeParseResult<O> =
    | { readonly success: true; readonly data: O; readonly error?: undefined }
    | { readonly success: false; readonly data?: undefined; readonly error: Error };
  type output<S extends ZodType> = S['_output'];
  type infer<S extends ZodType> = S['_output'];

  interface ZodString extends ZodType<string> {
    min(length: number): this;
    max(length: number): this;
    length(length: number): this;
    regex(pattern: RegExp): this;
    startsWith(text: string): this;
    endsWith(text: string): this;
    includes(text: string): this;
  }
  interface ZodNumber extends ZodType<number> {
    min(least: number): this;
    max(most: number): this;
  }
  type ZodInt = ZodNumber;
  type ZodURL = ZodString;
  type ZodBoolean = ZodType<boolean>;
  type ZodLiteral<V> = ZodType<V>;
  type ZodEnum<E extends Readonly<Record<string, string>>> = ZodType<E[keyof E]>;
  interface ZodArray<S extends ZodType> extends ZodType<S['_output'][]> {
    min(length: number): this;
    max(length: number): this;
    length(length: number): this;
  }
  type ZodCustom<O, _I = O> = ZodType<O>;
  type ZodTransform<O, _I = unknown> = ZodType<O>;
  type ZodPipe<_A extends ZodType, B extends ZodType> = ZodType<B['_output']>;
  type ZodNullable<S extends ZodType> = ZodType<S['_output'] | null>;
  type ZodCatch<S extends ZodType> = ZodType<S['_output']>;
  type ZodDefault<S extends ZodType> = ZodType<Exclude<S['_output'], undefined>>;
  interface ZodOptional<S extends ZodType> extends ZodType<S['_output'] | undefined> {
    readonly mayBeAbsent: 'or undefined';
  }
  interface ZodExactOptional<S extends ZodType> extends ZodType<S['_output']> {
    readonly mayBeAbsent: 'exact';
  }

  type Shape = Readonly<Record<string, ZodType>>;
  type AbsentKeys<S> = { [K in keyof S]: S[K] extends { readonly mayBeAbsent: string } ? K : never }[keyof S];
  type Fields<S extends Shape> = { -readonly [K in Exclude<keyof S, AbsentKeys<S>>]: S[K]['_output'] } & {
    -readonly [K in keyof Pick<S, AbsentKeys<S>>]?: S[K]['_output'];
  };
  type ZodObject<S extends Shape, C = core.$strip> = ZodType<{
    [K in keyof (Fields<S> & C)]: (Fields<S> & C)[K];
  }>;
  namespace core {
    type $strict = unknown;
    type $strip = unknown;
    type $loose = { [key: string]: unknown };
  }

  function string(): ZodString;
  function number(): ZodNumber;
  function int(): ZodInt;
  function url(): ZodURL;
  function boolean(): ZodBoolean;
  function unknown(): ZodType<unknown>;
  function literal<const V extends string | number | boolean | null>(value: V | readonly V[]): ZodLiteral<V>;
  function array<S extends ZodType>(item: S): ZodArray<S>;
  function object<const S extends Shape>(fields: S): ZodObject<S>;
  function strictObject<const S extends Shape>(fields: S): ZodObject<S, core.$strict>;
  /** Other keys may be there, too. */
  function looseObject<const S extends Shape>(fields: S): ZodObject<S, core.$loose>;
  function record<K extends ZodType<string>, V extends ZodType>(
    key: K,
    value: V,
  ): ZodType<Record<K['_output'], V['_output']>>;
  function union<const S extends readonly ZodType[]>(options: S): ZodType<S[number]['_output']>;
  function tuple<const S extends readonly ZodType[]>(items: S): ZodType<{ -readonly [K in keyof S]: output<S[K]> }>;
  function optional<S extends ZodType>(schema: S): ZodOptional<S>;
}
