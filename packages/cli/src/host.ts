import type { OperatorLike, ResourceShape, RunningLike, RunOptionsLike } from './shapes.ts'

/**
 * What the user's file meets in the place of the package `binnacle`: the same package, whose operators and resources are noted.
 * It is how a file that runs its operator itself (`await op.run()`) is run once and not twice, gets the flags of the command line,
 * and can be stopped for a reload, without `binnacle` knowing of this tool.
 */
export interface Host {
  /** An operator was declared. `own` is the same with its own ways to start, which do not lead back to the host. */
  declared(operator: OperatorLike, own: OperatorLike): void
  /** A resource was declared. */
  resource(resource: ResourceShape): void
  /** The file starts an operator by itself. */
  start(own: OperatorLike, options: RunOptionsLike | undefined): Promise<RunningLike>
  /** The file runs an operator by itself. */
  run(own: OperatorLike, options: RunOptionsLike | undefined): Promise<void>
}

/** Puts a host where the bundled code looks for it. */
export function offerHost(hostKey: string, host: Host): Disposable {
  const slots = globalThis as { [key: symbol]: unknown }
  const slot = Symbol.for(hostKey)
  const offered = wrappers(host)
  slots[slot] = offered
  return {
    [Symbol.dispose]() {
      // The next host may be there already.
      if (slots[slot] === offered) delete slots[slot]
    },
  }
}

/** The module that stands in for `binnacle`. What it declares itself wins over what `export *` brings. */
export function hostedModule(url: string, hostKey: string): string {
  return `
export * from ${JSON.stringify(url)}
import * as real from ${JSON.stringify(url)}
const host = globalThis[Symbol.for(${JSON.stringify(hostKey)})]
export const operator = host.operator(real.operator)
export const resource = host.resource(real.resource)
`
}

type Make<T> = (...args: readonly unknown[]) => T

function wrappers(host: Host) {
  return {
    operator: (make: Make<OperatorLike>) => {
      return (...args: readonly unknown[]) => hosted(host, make(...args))
    },
    resource: (make: Make<ResourceShape>) => {
      return (...args: readonly unknown[]) => {
        const made = make(...args)
        host.resource(made)
        return made
      }
    },
  }
}

/** The operator itself, with ways to start that lead through the host. */
function hosted(host: Host, operator: OperatorLike): OperatorLike {
  const own: OperatorLike = {
    name: operator.name,
    describe: () => operator.describe(),
    run: operator.run.bind(operator),
    start: operator.start.bind(operator),
  }
  host.declared(operator, own)
  define(operator, 'run', (options?: RunOptionsLike) => host.run(own, options))
  define(operator, 'start', (options?: RunOptionsLike) => host.start(own, options))
  return operator
}

function define(operator: OperatorLike, name: 'run' | 'start', value: unknown): void {
  Object.defineProperty(operator, name, { value, configurable: true, writable: true, enumerable: false })
}
