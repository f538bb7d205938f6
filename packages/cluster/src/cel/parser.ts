/**
 * Tokens to a tree, by precedence; macros are told apart from calls here.
 * Guarantees: an expression nests at most 250 levels deep and is at most 100,000 characters long; anything else is a CompileError.
 */
import { CompileError, type Entry, type Issue, type Node } from './ast.ts'
import { maxInt, type Token, tokens } from './lexer.ts'
import { isMacro, macroNode } from './macros.ts'

const maxDepth = 250
const maxLength = 100_000

export function parse(source: string): Node {
  if (source.length > maxLength) {
    throw new CompileError('', [
      { at: 0, message: `expression code point size exceeds limit: size: ${source.length}, limit ${maxLength}` },
    ])
  }
  return new Parser(source).whole()
}

const relations = new Set(['<', '<=', '>', '>=', '==', '!='])
const beginnings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
const reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
)

class Parser {
  readonly #source: string
  readonly #tokens: readonly Token[]
  readonly #issues: readonly Issue[]
  #next = 0
  #depth = 0

  constructor(source: string) {
    this.#source = source
    const read = tokens(source)
    this.#tokens = read.tokens
    this.#issues = read.issues
  }

  whole(): Node {
    const node = this.#expression()
    const rest = this.#peek()
    if (rest.kind !== 'end') {
      const alone = this.#tokens[this.#next + 1]?.kind === 'end'
      throw this.#error(rest, `${alone ? 'extraneous' : 'mismatched'} input '${rest.text}' expecting <EOF>`)
    }
    if (this.#issues.length > 0) throw new CompileError(this.#source, this.#issues)
    return node
  }

  #peek(): Token {
    return this.#tokens[this.#next] as Token
  }

  #take(): Token {
    const token = this.#peek()
    if (token.kind !== 'end') this.#next++
    return token
  }

  #isNext(symbol: string): boolean {
    const token = this.#peek()
    return token.kind === 'symbol' && token.text === symbol
  }

  #accept(symbol: string): Token | undefined {
    return this.#isNext(symbol) ? this.#take() : undefined
  }

  #expect(symbol: string): Token {
    const found = this.#accept(symbol)
    if (found) return found
    const token = this.#peek()
    throw this.#error(token, `missing '${symbol}' at '${token.kind === 'end' ? '<EOF>' : token.text}'`)
  }

  #fail(token: Token, expected: string): never {
    const next = this.#tokens[this.#tokens.indexOf(token) + 1]
    const begins = next?.kind === 'name' || next?.kind === 'literal'
    throw this.#error(token, `${begins ? 'extraneous' : 'mismatched'} input '${token.text}' expecting ${expected}`)
  }

  #error(token: { readonly at: number }, message: string): CompileError {
    return new CompileError(this.#source, [...this.#issues, { at: token.at, message: `Syntax error: ${message}` }])
  }

  #expression(): Node {
    if (++this.#depth > maxDepth) {
      throw new CompileError(this.#source, [{ at: 0, message: `expression recursion limit exceeded: ${maxDepth}` }])
    }
    const test = this.#or()
    const mark = this.#accept('?')
    this.#depth--
    if (!mark) return test
    this.#depth++
    const yes = this.#or()
    this.#expect(':')
    const no = this.#expression()
    this.#depth--
    return { op: 'choice', test, yes, no, at: mark.at }
  }

  #or(): Node {
    let left = this.#and()
    for (let sign = this.#accept('||'); sign; sign = this.#accept('||')) {
      left = { op: 'or', left, right: this.#and(), at: sign.at }
    }
    return left
  }

  #and(): Node {
    let left = this.#relation()
    for (let sign = this.#accept('&&'); sign; sign = this.#accept('&&')) {
      left = { op: 'and', left, right: this.#relation(), at: sign.at }
    }
    return left
  }

  #relation(): Node {
    let left = this.#sum()
    for (;;) {
      const token = this.#peek()
      const isIn = token.kind === 'name' && token.text === 'in'
      if (!isIn && !(token.kind === 'symbol' && relations.has(token.text))) return left
      this.#take()
      left = binary(isIn ? '@in' : `_${token.text}_`, left, this.#sum(), token.at)
    }
  }

  #sum(): Node {
    return this.#chain(['+', '-'], () => this.#product())
  }

  #product(): Node {
    return this.#chain(['*', '/', '%'], () => this.#unary())
  }

  #chain(signs: readonly string[], operand: () => Node): Node {
    let left = operand()
    for (;;) {
      const token = this.#peek()
      if (token.kind !== 'symbol' || !signs.includes(token.text)) return left
      this.#take()
      left = binary(`_${token.text}_`, left, operand(), token.at)
    }
  }

  /** An even number of signs cancels out; a minus before a number belongs to the number. */
  #unary(): Node {
    const sign = this.#peek()
    if (sign.kind !== 'symbol' || (sign.text !== '!' && sign.text !== '-')) return this.#member(this.#primary())
    let count = 0
    for (; this.#isNext(sign.text); count++) this.#take()
    const next = this.#peek()
    if (
      sign.text === '-' &&
      next.kind === 'literal' &&
      (typeof next.value === 'bigint' || typeof next.value === 'number')
    ) {
      this.#take()
      const value = count % 2 === 1 ? -next.value : next.value
      if (typeof value === 'bigint') this.#checkInt(value, next)
      return this.#member({ op: 'literal', value, at: next.at })
    }
    const operand = this.#member(this.#primary())
    if (count % 2 === 0) return operand
    return { op: 'call', name: sign.text === '!' ? '!_' : '-_', target: undefined, args: [operand], at: sign.at }
  }

  #checkInt(value: bigint, token: Token): void {
    if (value > maxInt) throw new CompileError(this.#source, [{ at: token.at, message: 'invalid int literal' }])
  }

  #primary(): Node {
    const token = this.#take()
    if (token.kind === 'literal') {
      if (typeof token.value === 'bigint') this.#checkInt(token.value, token)
      return { op: 'literal', value: token.value ?? null, at: token.at }
    }
    if (token.kind === 'name' && token.text !== 'in') return this.#named(token)
    switch (token.kind === 'symbol' ? token.text : '') {
      case '(': {
        const inner = this.#expression()
        this.#expect(')')
        return inner
      }
      case '[':
      case '[?':
        return this.#list(token)
      case '{':
        return this.#map(token)
      case '.':
        // An absolute name: containers do not exist here, so it is just the name.
        return this.#named(this.#name())
      default:
        return this.#fail(token, beginnings)
    }
  }

  #name(): Token {
    const token = this.#take()
    return token.kind === 'name' ? token : this.#fail(token, 'IDENTIFIER')
  }

  #named(token: Token): Node {
    if (reserved.has(token.text)) {
      throw new CompileError(this.#source, [{ at: token.at, message: `reserved identifier: ${token.text}` }])
    }
    const open = this.#accept('(')
    if (open) return this.#call(token.text, undefined, open)
    return { op: 'name', name: token.text, at: token.at }
  }

  #member(start: Node): Node {
    let node = start
    for (;;) {
      const token = this.#peek()
      if (token.kind !== 'symbol') return node
      if (token.text === '.' || token.text === '.?') node = this.#field(node, this.#take())
      else if (token.text === '[' || token.text === '[?') node = this.#index(node, this.#take())
      else return node
    }
  }

  #field(target: Node, dot: Token): Node {
    const token = this.#take()
    // A constant's name may be a field's name too.
    if (token.kind !== 'name' && !(token.kind === 'literal' && /^(true|false|null)$/.test(token.text))) {
      const seen = token.kind === 'end' ? '.' : `.${token.text}`
      throw this.#error(token, `no viable alternative at input '${seen}'`)
    }
    if (dot.text === '.') {
      const open = this.#accept('(')
      if (open) return this.#call(token.text, target, open)
    }
    return { op: 'select', target, field: token.text, optional: dot.text === '.?', at: dot.at }
  }

  #index(target: Node, bracket: Token): Node {
    const key = this.#expression()
    this.#expect(']')
    return { op: 'index', target, key, optional: bracket.text === '[?', at: bracket.at }
  }

  #call(name: string, target: Node | undefined, open: Token): Node {
    const args: Node[] = []
    while (!this.#isNext(')')) {
      args.push(this.#expression())
      if (!this.#accept(',')) break
    }
    this.#expect(')')
    if (isMacro(name, target, args)) return macroNode(name, target, args, open.at, this.#source)
    return { op: 'call', name, target, args, at: open.at }
  }

  #list(open: Token): Node {
    const items: Node[] = []
    const optional = new Set<number>()
    if (open.text === '[?') optional.add(0)
    while (!this.#isNext(']')) {
      if (this.#accept('?')) optional.add(items.length)
      items.push(this.#expression())
      if (!this.#accept(',')) break
    }
    if (this.#peek().kind === 'end') this.#fail(this.#peek(), "{']', ','}")
    this.#expect(']')
    return { op: 'list', items, optional, at: open.at }
  }

  #map(open: Token): Node {
    const entries: Entry[] = []
    while (!this.#isNext('}')) {
      const optional = this.#accept('?') !== undefined
      const key = this.#expression()
      this.#expect(':')
      entries.push({ key, value: this.#expression(), optional })
      if (!this.#accept(',')) break
    }
    this.#expect('}')
    return { op: 'map', entries, at: open.at }
  }
}

function binary(name: string, left: Node, right: Node, at: number): Node {
  return { op: 'call', name, target: undefined, args: [left, right], at }
}
