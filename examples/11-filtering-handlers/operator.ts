// All kinds of filters; each handler says in its name what it waits for.
import { ABSENT, all, not, oneOf, operator, PRESENT } from 'binnacle'

export const op = operator('filtering')
const kopfexamples = 'kopfexamples.kopf.dev'
const isGood = (value: string | undefined) => value === 'somevalue'

op.on.create(kopfexamples, { labels: { somelabel: 'somevalue' } }, function labelsSatisfied() {})
op.on.create(kopfexamples, { labels: { somelabel: 'somevalue', nonexistent: 'x' } }, function labelsNotSatisfied() {})
op.on.create(kopfexamples, { labels: { somelabel: PRESENT } }, function labelExists() {})
op.on.create(kopfexamples, { labels: { nonexistent: ABSENT } }, function labelDoesNotExist() {})
op.on.create(kopfexamples, { labels: { somelabel: not(isGood) } }, function labelCallbackNotSatisfied() {})
op.on.create(
  kopfexamples,
  { labels: { somelabel: isGood, nonexistent: (value) => value === undefined } },
  function labelCallbacks() {},
)
op.on.create(kopfexamples, { labels: { somelabel: oneOf('somevalue', 'another') } }, function labelIsOneOf() {})

op.on.create(kopfexamples, { annotations: { someannotation: 'somevalue' } }, function annotationsSatisfied() {})
op.on.create(kopfexamples, { annotations: { someannotation: 'other' } }, function annotationsNotSatisfied() {})
op.on.create(kopfexamples, { annotations: { someannotation: PRESENT } }, function annotationExists() {})
op.on.create(kopfexamples, { annotations: { nonexistent: ABSENT } }, function annotationDoesNotExist() {})

op.on.create(kopfexamples, { when: ({ spec }) => spec.field === 'value' }, function whenSatisfied() {})
op.on.create(kopfexamples, { when: ({ spec }) => spec.field !== 'value' }, function whenNotSatisfied() {})
op.on.create(
  kopfexamples,
  {
    when: all(
      ({ name }) => name.startsWith('kopf-'),
      not(({ spec }) => spec.items.length === 0),
    ),
  },
  function whenAll() {},
)

op.on.create(kopfexamples, { field: 'spec.field', value: 'value' }, function fieldSatisfied() {})
op.on.create(kopfexamples, { field: 'spec.field', value: 'x' }, function fieldNotSatisfied() {})
op.on.create(kopfexamples, { field: 'spec.nonexistent', value: ABSENT }, function fieldIsAbsent() {})

op.on.update(kopfexamples, { field: 'spec.field', old: 'value', new: 'changed' }, function changeSatisfied() {})
op.on.update(kopfexamples, { field: 'spec.field', value: 'value' }, function valueWasSatisfied() {})
op.on.update(kopfexamples, { field: 'spec.field', new: 'value' }, function changeNotSatisfied() {})
op.on.update(kopfexamples, { field: 'spec.duration' }, function otherFieldNotSatisfied() {})

op.daemon(kopfexamples, { field: 'spec.field', value: 'value' }, async function whileValue({ stopped, logger }) {
  logger.info('The field has its value')
  await stopped.wait()
  if (stopped.reason?.why === 'filters-mismatch') logger.info('The field has lost its value')
})
