import { inWorker, PermanentError, TemporaryError } from 'binnacle'

/** Does what `spec.action` says, in its thread. */
export const actions = inWorker('kopfexamples.kopf.dev', async (context) => {
  const { spec, patch, param, retry, stopped, signal, logger, events } = context
  switch (spec.action) {
    case 'result':
      return { sum: [...Array(100_000).keys()].reduce((a, b) => a + b, 0), param, retry }
    case 'patch':
      patch.status.written = `by ${context.name}`
      patch.merge({ metadata: { labels: { seen: 'yes' } } })
      return undefined
    case 'temporary':
      patch.status.attempts = retry + 1
      if (retry < 2) throw new TemporaryError('not yet', { delay: 5 })
      return undefined
    case 'permanent':
      throw new PermanentError('never', { cause: new RangeError('too far') })
    case 'arbitrary':
      throw Object.assign(new TypeError('odd'), { hint: 'look elsewhere' })
    case 'crash':
      setImmediate(() => {
        throw new Error('nobody catches this')
      })
      return new Promise(() => {})
    case 'exit':
      return process.exit(3)
    case 'unclonable':
      return /** @type {any} */ (() => 'a function')
    case 'edit':
      return /** @type {any} */ (patch).edit(() => {})
    case 'memo':
      return /** @type {any} */ (context).memo
    case 'line':
      logger.child({ part: 'x' }).warn('a line', { n: 1, odd: () => {} })
      events.info('Noted', 'from a thread')
      return undefined
    case 'change': {
      const { reason, old, current, diff, type, event } = context
      return /** @type {any} */ ({ reason, old, current, diff, type, event: event?.object.metadata.name })
    }
    case 'children':
      return /** @type {any} */ (context.adopt({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }))
    case 'every': {
      let rounds = 0
      for await (const round of stopped.every('10s')) {
        rounds = round
        if (round === 2) break
      }
      return rounds
    }
    case 'block':
      while (!signal.aborted);
      return 'heeded the signal'
    case 'ignore':
      for (;;);
    default:
      return undefined
  }
})
