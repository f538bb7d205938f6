import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeProtobuf, Malformed } from './protobuf.ts'

type Value = string | number | boolean | readonly [number, Value][]

function varint(n: number): number[] {
  const bytes = []
  for (; n > 127; n = Math.floor(n / 128)) bytes.push((n & 127) | 128)
  return [...bytes, n]
}

function message(fields: readonly (readonly [number, Value])[]): Buffer {
  return Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number' || typeof value === 'boolean') {
        return Buffer.from([...varint(number << 3), ...varint(Number(value))])
      }
      const body = typeof value === 'string' ? Buffer.from(value) : message(value)
      return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(body.length)]), body])
    }),
  )
}

const envelope = (apiVersion: string, kind: string, fields: readonly (readonly [number, Value])[]) =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    message([
      [
        1,
        [
          [1, apiVersion],
          [2, kind],
        ],
      ],
      [2, fields as Value],
    ]),
  ])

describe('a protobuf body', () => {
  it('is read as the JSON that it stands for', () => {
    const container: Value = [
      [1, 'c'],
      [2, 'img'],
      [
        6,
        [
          [1, 'http'],
          [3, 8080],
        ],
      ],
    ]
    const volume: Value = [
      [1, 'v'],
      [2, [[6, [[1, 'secret']]]]],
    ]
    const template: Value = [
      [
        1,
        [
          [
            11,
            [
              [1, 'app'],
              [2, 'x'],
            ],
          ],
        ],
      ],
      [
        2,
        [
          [2, container],
          [1, volume],
        ],
      ],
    ]
    const body = envelope('apps/v1', 'Deployment', [
      [1, [[1, 'd']]],
      [
        2,
        [
          [1, 3],
          [3, template],
        ],
      ],
    ])
    expect(decodeProtobuf(body)).toEqual({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'd' },
      spec: {
        replicas: 3,
        template: {
          metadata: { labels: { app: 'x' } },
          spec: {
            containers: [{ name: 'c', image: 'img', ports: [{ name: 'http', containerPort: 8080 }] }],
            // In protobuf the source of a volume is a message of its own; in JSON it is not.
            volumes: [{ name: 'v', secret: { secretName: 'secret' } }],
          },
        },
      },
    })
  })

  it('knows times, quantities, ports by name or number, and raw bytes', () => {
    const service = envelope('v1', 'Service', [
      [
        2,
        [
          [
            1,
            [
              [1, 'a'],
              [
                4,
                [
                  [1, 1],
                  [3, 'http'],
                ],
              ],
            ],
          ],
          [1, [[4, [[2, 80]]]]],
        ],
      ],
    ])
    expect(decodeProtobuf(service).spec).toEqual({ ports: [{ name: 'a', targetPort: 'http' }, { targetPort: 80 }] })
    const secret = envelope('v1', 'Secret', [
      [1, [[8, [[1, 1700000000]]]]],
      [
        2,
        [
          [1, 'k'],
          [2, 'value'],
        ],
      ],
    ])
    expect(decodeProtobuf(secret)).toMatchObject({
      metadata: { creationTimestamp: '2023-11-14T22:13:20Z' },
      data: { k: 'dmFsdWU=' },
    })
  })

  it('ends with Malformed or an object, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const body = Buffer.concat([
          Buffer.from('k8s\0'),
          message([
            [
              1,
              [
                [1, 'v1'],
                [2, 'Pod'],
              ],
            ],
          ]),
          Buffer.from(bytes),
        ])
        const inner = Buffer.concat([
          Buffer.from('k8s\0'),
          message([
            [
              1,
              [
                [1, 'v1'],
                [2, 'Pod'],
              ],
            ],
            [2, Buffer.from(bytes).toString('latin1')],
          ]),
        ])
        for (const hostile of [body, inner, Buffer.from(bytes)]) {
          try {
            expect(typeof decodeProtobuf(hostile)).toBe('object')
          } catch (error) {
            expect(error).toBeInstanceOf(Malformed)
          }
        }
      }),
    )
  })
})
