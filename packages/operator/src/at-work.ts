/**
 * What calls handlers, in a run or a simulation. It is loaded when somebody does that: two thirds of the modules, with the cache; to declare, describe and
 * check an operator takes none of it. One door to all of it, so that it is few files when modules are joined (scripts/bundle.mjs).
 */
export { Rehearsal } from './rehearsal.ts'
export { startOperator } from './running-operator.ts'
export { callOnce } from './spawn/call-once.ts'
