/** Label selectors: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. Pure: text in, a predicate out. */
import { badRequest } from '../http/status.ts'

type Labels = { readonly [key: string]: string } | undefined

/** Throws BadRequest with the words of the original parser. */
export function parseLabelSelector(text: string): ((labels: Labels) => boolean) | undefined {
  const tokens = tokenize(text)
  if (tokens.length === 0) return undefined
  const requirements = new Parser(tokens).all()
  return (labels) => requirements.every((holds) => holds(labels))
}

type Requirement = (labels: Labels) => boolean
const symbols = ['!=', '==', '=', '>', '<', '(', ')', ',', '!'] as const

function tokenize(text: string): string[] {
  const tokens: string[] = []
  for (let i = 0; i < text.length; ) {
    const symbol = symbols.find((s) => text.startsWith(s, i))
    if (symbol) tokens.push(symbol)
    const end = symbol ? i + symbol.length : wordEnd(text, i)
    if (!symbol && end > i) tokens.push(text.slice(i, end))
    i = end === i ? i + 1 : end
  }
  return tokens
}

function wordEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && !/[\s!=<>(),]/.test(text[end] as string)) end++
  return end
}

const value = (labels: Labels, key: string) => (labels && Object.hasOwn(labels, key) ? labels[key] : undefined)

class Parser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  all(): Requirement[] {
    const found = [this.#requirement()]
    while (this.#peek() !== undefined) {
      if (this.#next() !== ',') {
        throw badRequest(`found '${this.#tokens[this.#at - 1]}', expected: ',' or 'end of string'`)
      }
      found.push(this.#requirement())
    }
    return found
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at]
  }

  #next(): string | undefined {
    return this.#tokens[this.#at++]
  }

  #requirement(): Requirement {
    if (this.#peek() === '!') {
      this.#next()
      const key = this.#key()
      return (labels) => value(labels, key) === undefined
    }
    const key = this.#key()
    const operator = this.#peek()
    if (operator === undefined || operator === ',') return (labels) => value(labels, key) !== undefined
    this.#next()
    return this.#operation(key, operator)
  }

  #operation(key: string, operator: string): Requirement {
    switch (operator) {
      case '=':
      case '==': {
        const wanted = this.#exact()
        return (labels) => value(labels, key) === wanted
      }
      case '!=': {
        const unwanted = this.#exact()
        return (labels) => value(labels, key) !== unwanted
      }
      case 'in': {
        const wanted = this.#set()
        return (labels) => wanted.has(value(labels, key) ?? Symbol.for('absent'))
      }
      case 'notin': {
        const unwanted = this.#set()
        return (labels) => !unwanted.has(value(labels, key) ?? Symbol.for('absent'))
      }
      case '>':
      case '<':
        return this.#comparison(key, operator)
      default:
        throw badRequest(`unable to parse requirement: found '${operator}', expected: in, notin, =, ==, !=, gt, lt`)
    }
  }

  #comparison(key: string, operator: '>' | '<'): Requirement {
    const text = this.#exact()
    if (!/^-?\d+$/.test(text))
      throw badRequest(
        `values[0][${key}]: Invalid value: "${text}": for 'Gt', 'Lt' operators, the value must be an integer`,
      )
    const bound = Number(text)
    return (labels) => {
      const found = value(labels, key)
      if (found === undefined || !/^-?\d+$/.test(found)) return false
      return operator === '>' ? Number(found) > bound : Number(found) < bound
    }
  }

  #key(): string {
    const key = this.#next()
    if (key === undefined || (symbols as readonly string[]).includes(key)) {
      throw badRequest(`found '${key ?? ''}', expected: !, identifier, or 'end of string'`)
    }
    const [name = '', prefix] = key.split('/').reverse()
    if (
      !/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name) ||
      name.length > 63 ||
      prefix === '' ||
      key.split('/').length > 2
    ) {
      throw badRequest(
        `key: Invalid value: "${key}": name part must consist of alphanumeric characters, '-', '_' or '.'`,
      )
    }
    return key
  }

  /** A value; none at all is the empty one. */
  #exact(): string {
    const next = this.#peek()
    if (next === undefined || next === ',') return ''
    this.#next()
    if ((symbols as readonly string[]).includes(next))
      throw badRequest(`unable to parse requirement: found '${next}', expected: identifier`)
    if (!/^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(next) || next.length > 63) {
      throw badRequest(
        `values[0]: Invalid value: "${next}": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'`,
      )
    }
    return next
  }

  #set(): Set<string | symbol> {
    if (this.#next() !== '(')
      throw badRequest(`unable to parse requirement: found '${this.#tokens[this.#at - 1] ?? ''}' expected: '('`)
    const found = new Set<string | symbol>()
    if (this.#peek() === ')') found.add('')
    while (this.#peek() !== ')') {
      if (this.#peek() === undefined) throw badRequest("unable to parse requirement: found '', expected: ',' or ')'")
      found.add(this.#exact())
      if (this.#peek() === ',') this.#next()
    }
    this.#next()
    return found
  }
}
