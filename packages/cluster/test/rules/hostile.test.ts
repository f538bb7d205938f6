import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CompileError, EvaluationError } from '../../src/cel/ast.ts'
import { plain } from '../../src/cel/binding.ts'
import { Budget } from '../../src/cel/evaluator.ts'
import { Program } from '../../src/cel/program.ts'
import { dyn } from '../../src/cel/type.ts'

const words = [
  ...['self', 'oldSelf', 'x', '__proto__', 'constructor', 'true', 'null', 'in', 'has', 'size', 'matches', 'map', 'all'],
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '.',
    '.?',
    '[?',
    ',',
    ':',
    '?',
    '+',
    '-',
    '*',
    '/',
    '%',
    '!',
    '&&',
    '||',
    '==',
    '<',
  ],
  ...[
    '1',
    '-9223372036854775808',
    '1u',
    '2.5',
    '"a"',
    "b'\\xff'",
    "'(a+)+$'",
    '9e999',
    '\\',
    '"""',
    '\n',
    '`a-b`',
    '😀',
  ],
  ...[
    '.exists(x, ',
    '.filter(x, ',
    '.map(x, ',
    'lists.range(9999)',
    ".split('')",
    '.format([1])',
    'duration(',
    'optional.of(',
  ],
]

/** Compiles and runs; whatever else than the two errors it throws is a crash. */
function tried(source: string): string {
  try {
    const program = Program.compile(source, new Map([['self', dyn]]))
    program.run(new Map([['self', plain({ a: [1, 2, { b: 'c' }], s: 'x'.repeat(1000) })]]), new Budget(50_000))
    return 'ran'
  } catch (error) {
    if (error instanceof CompileError || error instanceof EvaluationError) return error.name
    throw error
  }
}

describe('an expression, however hostile', () => {
  it('runs, or is refused with a reason; it never hangs and never crashes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 40 }), (parts) => {
        tried(parts.join(''))
        tried(parts.join(' '))
      }),
      { numRuns: 700 },
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (source) => void tried(source)),
      { numRuns: 400 },
    )
  })

  it('ends when its budget is spent, however deep its loops nest', () => {
    const loop = 'lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))'
    expect(() => Program.compile(loop, new Map()).run(new Map(), new Budget(1_000_000))).toThrow(
      'actual cost limit exceeded',
    )
  })

  it('is refused when it nests without end, or is longer than any rule', () => {
    expect(tried('('.repeat(10_000))).toBe('CompileError')
    expect(tried(`${'['.repeat(5000)}${']'.repeat(5000)}`)).toBe('CompileError')
    expect(tried(`1${'+1'.repeat(100_000)}`)).toBe('CompileError')
    expect(tried('!'.repeat(5000))).toBe('CompileError')
  })

  it('sees no prototype: only keys of the object itself', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const program = Program.compile(`has(self.${name}) || '${name}' in self`, new Map([['self', dyn]]))
      expect(program.run(new Map([['self', plain({ a: 1 })]]), new Budget(1000))).toBe(false)
    }
    expect(tried('{"__proto__": {"polluted": true}}')).toBe('ran')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
