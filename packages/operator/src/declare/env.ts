// biome-ignore-all lint/suspicious/noExplicitAny: loose objects are part of the face, so that a first operator needs no types
/** What an operator, or a set of handlers, adds to the contexts of its handlers. */
export interface Env {
  /** Indices, injected under their own names. */
  readonly indices: object
  /** The memory of one object. */
  readonly memo: object
  /** What all handlers share. */
  readonly shared: unknown
}
export interface AnyEnv extends Env {
  readonly indices: {}
  readonly memo: Memo
  readonly shared: any
}

/** Memory without a declared shape. */
export interface Memo {
  [key: string]: any
}

/** Adds the indices to a context; a name that both have belongs to the index. */
export type With<Context, Indices> = [keyof Indices] extends [never]
  ? Context
  : [keyof Context & keyof Indices] extends [never]
    ? Context & Indices
    : Omit<Context, keyof Indices> & Indices
