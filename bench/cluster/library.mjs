/** The cluster as a library, in a fresh process: from the import to the first answer. */
const begun = performance.now()
const { Cluster } = await import('@binnacle/cluster')
const imported = performance.now()
const cluster = await Cluster.start()
const ready = performance.now()
console.log(
  JSON.stringify({ 'library ms': ready - begun, 'import ms': imported - begun, 'start ms': ready - imported }),
)
await cluster.stop()
