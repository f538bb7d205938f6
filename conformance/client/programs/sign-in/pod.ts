import { connect, KubeConfig } from '@binnacle/client'

const inCluster = await KubeConfig.inCluster() // undefined outside of a pod
console.log(inCluster ? `in namespace ${inCluster.namespace}` : 'not in a pod')

await using client = await connect(inCluster ? { kubeconfig: inCluster } : {})
console.log((await client.get('namespaces', 'default')).metadata.name)
