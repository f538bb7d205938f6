// Kubernetes events about the object, and about others.
import { operator } from 'binnacle'

export const op = operator('events')

op.on.create('kopfexamples.kopf.dev', function tell({ body, events }) {
  events.event('Normal', 'SomeReason', 'Some message')
  events.info('Begun', 'Work has begun')
  events.warn('Slow', 'It may take long')
  try {
    throw new RangeError('Exception text')
  } catch (error) {
    events.exception(error)
  }
  events.info('Seen', 'Another object may be named', { about: body })
})
