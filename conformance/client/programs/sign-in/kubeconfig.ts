import { connect, KubeConfig } from '@binnacle/client'

// As kubectl: the files of KUBECONFIG, else ~/.kube/config, else the service account of the pod.
const config = await KubeConfig.load()
console.log(config.contexts, config.currentContext)

await using client = await connect({ kubeconfig: config, context: config.contexts[0] ?? '' })
console.log((await client.get('namespaces', 'default')).metadata.name)
