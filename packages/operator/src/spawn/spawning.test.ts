import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { daemonHandler } from '../declare/daemon.ts'
import { holds, isAtWork, orderFor, type Presence, type Standing } from './spawning.ts'

const daemon = daemonHandler('kex', [{ id: 'd' }, () => {}])
const light = daemonHandler('kex', [{ id: 'd', finalizer: false }, () => {}])
const there = (matches: boolean): Presence => ({ exists: true, deleting: false, matches: () => matches })
const STANDINGS: readonly Standing[] = ['absent', 'running', 'stopping', 'abandoned', 'done', 'failed']

describe('who should run now', () => {
  it.each([
    ['absent', true, 'start'],
    ['running', true, 'leave'],
    ['stopping', true, 'leave'],
    ['abandoned', true, 'leave'],
    ['done', true, 'leave'],
    ['failed', true, 'leave'],
    ['absent', false, 'leave'],
    ['running', false, 'stop'],
    ['stopping', false, 'leave'],
    ['done', false, 'leave'],
    ['failed', false, 'forget'],
  ] as const)('one that is %s, while the filters say %s: %s', (standing, matches, order) => {
    expect(orderFor(daemon, standing, there(matches))).toMatchObject({ order })
  })

  it('never starts a second run, nor any for an object that goes; and asks no filter about one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...STANDINGS), fc.boolean(), fc.boolean(), (standing, exists, deleting) => {
        const goes = !exists || deleting
        const matches = () => {
          if (goes) throw new Error('asked')
          return true
        }
        const { order } = orderFor(daemon, standing, { exists, deleting, matches })
        expect(order === 'start').toBe(!goes && standing === 'absent')
        expect(order === 'stop').toBe(goes && standing === 'running')
      }),
    )
  })

  it('holds the object from before the start until the end, unless it is told not to', () => {
    for (const standing of STANDINGS) {
      const order = orderFor(daemon, standing, there(true))
      expect(holds(daemon, standing, order)).toBe(standing === 'absent' || isAtWork(standing))
      expect(holds(light, standing, order)).toBe(false)
    }
  })
})
