/** All functions that expressions of Kubernetes may call, by name. */
import type { Overload } from './function.ts'
import { conversions } from './library/conversions.ts'
import { formats } from './library/formats.ts'
import { lists } from './library/lists.ts'
import { networks } from './library/networks.ts'
import { operators } from './library/operators.ts'
import { optionals } from './library/optionals.ts'
import { quantities } from './library/quantities.ts'
import { regexes } from './library/regexes.ts'
import { semvers } from './library/semvers.ts'
import { sets } from './library/sets.ts'
import { strings } from './library/strings.ts'
import { times } from './library/times.ts'
import { urls } from './library/urls.ts'

export class Library {
  readonly #functions = new Map<string, Overload[]>()
  readonly #methods = new Map<string, Overload[]>()

  constructor(all: readonly Overload[]) {
    for (const overload of all) {
      const place = overload.method ? this.#methods : this.#functions
      const known = place.get(overload.name)
      if (known) known.push(overload)
      else place.set(overload.name, [overload])
    }
  }

  /** The overloads of a name: of a method, or of a function. Empty when nobody knows it. */
  named(name: string, method: boolean): readonly Overload[] {
    return (method ? this.#methods : this.#functions).get(name) ?? []
  }

  with(more: readonly Overload[]): Library {
    return new Library([...[...this.#functions.values(), ...this.#methods.values()].flat(), ...more])
  }
}

let standard: Library | undefined

/** Built when the first expression is compiled: a cluster without rules pays nothing. */
export function standardLibrary(): Library {
  standard ??= new Library([
    ...operators(),
    ...conversions(),
    ...strings(),
    ...lists(),
    ...regexes(),
    ...sets(),
    ...times(),
    ...optionals(),
    ...urls(),
    ...networks(),
    ...quantities(),
    ...semvers(),
    ...formats(),
  ])
  return standard
}
