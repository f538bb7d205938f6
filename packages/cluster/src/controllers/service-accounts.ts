/** Every namespace has an account named default, and a ConfigMap with the certificate of the authority. Pure. */
import type { KubeObject } from '../object.ts'
import { keyOf } from '../storage/table.ts'
import { collection, type Write } from './write.ts'

export const rootCertificate = 'kube-root-ca.crt'

export interface Presence {
  has(table: string, key: string): boolean
}

export function namespaceWrites({ metadata }: KubeObject, ca: string, present: Presence): readonly Write[] {
  const namespace = metadata.name ?? ''
  if (metadata.deletionTimestamp !== undefined) return []
  const writes: Write[] = []
  if (!present.has('/serviceaccounts', keyOf(namespace, 'default'))) {
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
    writes.push({ method: 'POST', path: collection('', 'serviceaccounts', namespace), body })
  }
  if (!present.has('/configmaps', keyOf(namespace, rootCertificate))) {
    const annotations = {
      'kubernetes.io/description':
        'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
    }
    const head = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: rootCertificate, annotations } }
    writes.push({
      method: 'POST',
      path: collection('', 'configmaps', namespace),
      body: { ...head, data: { 'ca.crt': ca } },
    })
  }
  return writes
}
