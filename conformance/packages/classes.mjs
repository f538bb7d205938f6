/** Prints, as JSON, whether the packages know each other's classes, at the import and in what is read later. `node classes.mjs` */
import { KeyError } from '@binnacle/cache'
import * as client from '@binnacle/client'
import * as cluster from '@binnacle/cluster'
import * as core from '@binnacle/core'
import * as words from '@binnacle/core/public'
import * as binnacle from 'binnacle'

/** @param {object} from @returns {readonly (readonly [string, unknown])[]} */
const classesOf = (from) => Object.entries(from).filter(([, value]) => /^class\b/.test(String(value)))
/** @param {object} package_ */
const strangers = (package_) => {
  const theirs = new Map(Object.entries(package_))
  return classesOf(words).flatMap(([name, value]) => (theirs.get(name) === value ? [] : [name]))
}

const op = binnacle.operator('classes')
op.on.create('pods', { id: 'permanent' }, () => {
  throw new binnacle.PermanentError('never')
})
op.on.create('pods', { id: 'temporary' }, () => {
  throw new binnacle.TemporaryError('not yet')
})
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1' },
}
/** @param {string} id */
const outcomeOf = async (id) => (await binnacle.simulate(op, id, pod)).outcome
/** @param {() => unknown} act @returns {Promise<unknown>} */
const thrownBy = async (act) => {
  try {
    return await act()
  } catch (error) {
    return error
  }
}
const refused = await thrownBy(() => client.KubeConfig.fromString('nothing of the kind'))
/** Exported under another name than it has inside. @param {object} package_ */
const renamed = (package_) =>
  Object.entries(package_).flatMap(([name, value]) =>
    typeof value === 'function' && value.name !== name ? [`${name} is called ${value.name}`] : [],
  )

console.log(
  JSON.stringify({
    classes: classesOf(words).length,
    strangers: { core: strangers(core), client: strangers(client), binnacle: strangers(binnacle) },
    outcomes: [await outcomeOf('permanent'), await outcomeOf('temporary')],
    ours: {
      ofClient: refused instanceof binnacle.BinnacleError,
      ofCache: KeyError.prototype instanceof core.BinnacleError,
    },
    renamed: [core, client, cluster, binnacle].flatMap(renamed),
  }),
)
