import { connect } from '@binnacle/client'

await using client = await connect()

// By plural, singular, kind or short name, with or without group and version.
const deployments = await client.discovery.resolve('deploy')
console.log(deployments?.apiVersion, deployments?.verbs)

const all = await client.discovery.category('all') // what "kubectl get all" shows
console.log(all.map(({ plural }) => plural))
