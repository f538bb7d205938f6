/**
 * Realistic pods, some 4.9 KB of compact JSON each, managedFields included. The same number gives the same pod, so that all figures speak about
 * the same data.
 */
function rng(seed) {
  let s = seed >>> 0
  return () => {
    s = (s + 0x6d2b79f5) >>> 0
    let t = s
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
const ALPHA = 'bcdfghjklmnpqrstvwxz2456789'
const word = (r, n) => {
  let s = ''
  for (let i = 0; i < n; i++) s += ALPHA[(r() * ALPHA.length) | 0]
  return s
}
const hex = (r, n) => {
  let s = ''
  for (let i = 0; i < n; i++) s += ((r() * 16) | 0).toString(16)
  return s
}
const uuid = (r) => `${hex(r, 8)}-${hex(r, 4)}-${hex(r, 4)}-${hex(r, 4)}-${hex(r, 12)}`
const iso = (t) => `${new Date(t).toISOString().slice(0, 19)}Z`

/** Who wrote which fields, as the server keeps it; the longest part of a pod. */
const CONTROLLER_FIELDS =
  '{"f:metadata":{"f:annotations":{".":{},"f:checksum/config":{},"f:prometheus.io/port":{},"f:prometheus.io/scrape":{}},"f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/instance":{},"f:app.kubernetes.io/name":{},"f:pod-template-hash":{},"f:team":{},"f:tier":{}},"f:ownerReferences":{".":{},"k:{\\"uid\\":\\"UID\\"}":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"app\\"}":{".":{},"f:env":{".":{},"k:{\\"name\\":\\"LOG_LEVEL\\"}":{".":{},"f:name":{},"f:value":{}}},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},"k:{\\"containerPort\\":8080,\\"protocol\\":\\"TCP\\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},"f:resources":{".":{},"f:limits":{".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:serviceAccount":{},"f:serviceAccountName":{},"f:terminationGracePeriodSeconds":{}}}'
const KUBELET_FIELDS =
  '{"f:status":{"f:conditions":{"k:{\\"type\\":\\"ContainersReady\\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\\"type\\":\\"Initialized\\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\\"type\\":\\"Ready\\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{},"k:{\\"ip\\":\\"IP\\"}":{".":{},"f:ip":{}}},"f:startTime":{}}}'

function managedFields(t0, owner, ip) {
  const common = { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' }
  return [
    {
      manager: 'kube-controller-manager',
      ...common,
      time: iso(t0),
      fieldsV1: JSON.parse(CONTROLLER_FIELDS.replace('UID', owner)),
    },
    {
      manager: 'kubelet',
      ...common,
      time: iso(t0 + 9000),
      subresource: 'status',
      fieldsV1: JSON.parse(KUBELET_FIELDS.replace('IP', ip)),
    },
  ]
}

function spec(app, node, tok, image) {
  return {
    volumes: [
      {
        name: tok,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: [
      {
        name: 'app',
        image,
        ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
        env: [{ name: 'LOG_LEVEL', value: 'info' }],
        resources: { limits: { memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
        volumeMounts: [{ name: tok, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: app,
    serviceAccount: app,
    nodeName: node,
    securityContext: {},
    schedulerName: 'default-scheduler',
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    priority: 0,
    enableServiceLinks: true,
    preemptionPolicy: 'PreemptLowerPriority',
  }
}

function status(i, r, t0, app, ip, image) {
  return {
    phase: 'Running',
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
      (type) => ({ type, status: 'True', lastProbeTime: null, lastTransitionTime: iso(t0 + 5000) }),
    ),
    hostIP: `10.1.${(i >> 8) & 255}.${i & 255}`,
    podIP: ip,
    podIPs: [{ ip }],
    startTime: iso(t0),
    containerStatuses: [
      {
        name: 'app',
        state: { running: { startedAt: iso(t0 + 4000) } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image,
        imageID: `registry.example.com/platform/${app}@sha256:${hex(rng(((i / 25) | 0) + 3), 64)}`,
        containerID: `containerd://${hex(r, 64)}`,
        started: true,
      },
    ],
    qosClass: 'Burstable',
  }
}

export function makePod(i, { seed = 1, rv } = {}) {
  const r = rng(seed * 1e6 + i)
  const app = `svc-${(i / 25) | 0}` // 25 replicas for each workload
  const ns = `team-${((i / 25) | 0) % 200}` // 200 namespaces
  const rsHash = word(rng(((i / 25) | 0) + 77), 10)
  const name = `${app}-${rsHash}-${word(r, 5)}`
  const node = `ip-10-${(i * 7) % 250}-${(i * 13) % 250}-${(i * 31) % 250}.eu-west-1.compute.internal`
  const t0 = 1780000000000 + i * 1000
  const ip = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`
  const tok = `kube-api-access-${word(r, 5)}`
  const image = `registry.example.com/platform/${app}:v${1 + (((i / 25) | 0) % 9)}.${((i / 25) | 0) % 20}.0`
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      generateName: `${app}-${rsHash}-`,
      namespace: ns,
      uid: uuid(r),
      resourceVersion: String(rv ?? 100000 + i),
      creationTimestamp: iso(t0),
      labels: {
        'app.kubernetes.io/name': app,
        'app.kubernetes.io/instance': `${app}-prod`,
        'pod-template-hash': rsHash,
        team: ns,
        tier: i % 3 ? 'backend' : 'frontend',
      },
      annotations: {
        'checksum/config': hex(rng(((i / 25) | 0) + 5), 64),
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '9102',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-${rsHash}`,
          uid: uuid(rng(((i / 25) | 0) + 9)),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: managedFields(t0, uuid(rng(((i / 25) | 0) + 9)), ip),
    },
    spec: spec(app, node, tok, image),
    status: status(i, r, t0, app, ip, image),
  }
}
export const listHead = (rv, kind = 'PodList') =>
  `{"kind":"${kind}","apiVersion":"v1","metadata":{"resourceVersion":"${rv}"},"items":[`
export const eventLine = (i, rv) => Buffer.from(`{"type":"MODIFIED","object":${JSON.stringify(makePod(i, { rv }))}}\n`)
