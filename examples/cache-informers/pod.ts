/** A pod of the web, as small as a server takes it. */
export function pod(name: string) {
  return {
    metadata: { name, namespace: 'default', labels: { app: 'web' } },
    spec: { nodeName: 'node1', containers: [{ name: 'web', image: 'web:1' }] },
  }
}
