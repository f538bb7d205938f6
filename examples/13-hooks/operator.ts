// From before the first object to after the last.
import { operator, TemporaryError } from 'binnacle'

/** Something that must be opened and closed. */
class Pool implements AsyncDisposable {
  readonly asked: string[] = []
  closed = false
  ask(question: string): void {
    if (this.closed) throw new Error('The pool is closed')
    this.asked.push(question)
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
  }
}

export const op = operator('hooks', { shared: () => new Pool() })

op.on.startup(function configure({ settings }) {
  settings.execution.defaultBackoff = '5s'
})

op.on.startup({ retries: 3, backoff: '1s' }, function warmUp({ retry, logger, shared }) {
  if (retry < 1) throw new TemporaryError('Not warm yet', { delay: '1s' })
  shared.ask('are you there?')
  logger.info('Warm')
})

op.on.create('kopfexamples.kopf.dev', function register({ name, shared }) {
  shared.ask(`insert ${name}`)
  return { questions: shared.asked.length }
})

// Asked by whoever asks the health endpoint; one that throws makes the operator not live.
op.on.probe(function questions({ shared }) {
  return shared.asked.length
})

op.on.cleanup(function coolDown({ logger, shared }) {
  logger.info(`Cold after ${shared.asked.length} questions; the pool is ${shared.closed ? 'closed' : 'still open'}`)
})
