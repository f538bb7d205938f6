/** Objects that leave out whatever may be left out, so that a server shows what it fills in. Several of a type show what depends on what. */

const namespaced = (/** @type {string} */ group, /** @type {string} */ plural) =>
  `${group}/namespaces/default/${plural}`
const apps = '/apis/apps/v1'
const labels = { app: 'sample' }
const selector = { matchLabels: labels }

const container = (/** @type {object} */ more = {}) => ({ name: 'c', image: 'img:1', ...more })
const rich = container({
  ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 81 }],
  env: [
    { name: 'A', value: 'a' },
    { name: 'P', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  livenessProbe: { httpGet: { port: 80 } },
  readinessProbe: { tcpSocket: { port: 80 } },
  startupProbe: { exec: { command: ['true'] } },
  lifecycle: { preStop: { httpGet: { port: 80 } } },
  volumeMounts: [{ name: 'a', mountPath: '/a' }],
  securityContext: { runAsUser: 1 },
})
const other = { name: 'd', image: 'img', livenessProbe: { grpc: { port: 80 } } }
const volumes = [
  { name: 'a', emptyDir: {} },
  { name: 'b', secret: { secretName: 's' } },
  { name: 'c', configMap: { name: 'c' } },
  { name: 'd', downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'metadata.name' } }] } },
  { name: 'e', hostPath: { path: '/e' } },
  { name: 'f', projected: { sources: [{ configMap: { name: 'c' } }] } },
]
const podSpec = { containers: [rich, other], initContainers: [container({ name: 'i' })], volumes }
const template = { metadata: { labels }, spec: podSpec }
const jobTemplate = { metadata: { labels }, spec: { containers: [container()], restartPolicy: 'Never' } }

/** @param {string} path @param {string} apiVersion @param {string} kind @param {object} content */
const sample = (path, apiVersion, kind, content) => ({
  path,
  body: { apiVersion, kind, metadata: { name: 'sample' }, ...content },
})

export const samples = [
  sample(namespaced('/api/v1', 'pods'), 'v1', 'Pod', { spec: podSpec }),
  sample(namespaced('/api/v1', 'pods'), 'v1', 'Pod', {
    spec: { containers: [container()], securityContext: { runAsUser: 1 } },
  }),
  sample(namespaced('/api/v1', 'podtemplates'), 'v1', 'PodTemplate', { template }),
  sample(namespaced('/api/v1', 'replicationcontrollers'), 'v1', 'ReplicationController', {
    spec: { selector: labels, template },
  }),
  sample(namespaced('/api/v1', 'services'), 'v1', 'Service', { spec: { ports: [{ port: 80, targetPort: 81 }] } }),
  sample(namespaced('/api/v1', 'services'), 'v1', 'Service', {
    spec: { selector: labels, ports: [{ port: 80, targetPort: 81, name: 'a' }] },
  }),
  sample(namespaced('/api/v1', 'secrets'), 'v1', 'Secret', { data: {} }),
  sample(namespaced('/api/v1', 'persistentvolumeclaims'), 'v1', 'PersistentVolumeClaim', {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  sample('/api/v1/persistentvolumes', 'v1', 'PersistentVolume', {
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/a' } },
  }),
  sample(namespaced('/api/v1', 'endpoints'), 'v1', 'Endpoints', {
    subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }],
  }),
  sample(namespaced(apps, 'deployments'), 'apps/v1', 'Deployment', { spec: { selector, template } }),
  sample(namespaced(apps, 'deployments'), 'apps/v1', 'Deployment', { spec: { selector, template, strategy: {} } }),
  sample(namespaced(apps, 'deployments'), 'apps/v1', 'Deployment', {
    spec: { selector, template, strategy: { type: 'Recreate' } },
  }),
  sample(namespaced(apps, 'deployments'), 'apps/v1', 'Deployment', {
    spec: { selector, template, strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
  }),
  sample(namespaced(apps, 'replicasets'), 'apps/v1', 'ReplicaSet', { spec: { selector, template } }),
  sample(namespaced(apps, 'daemonsets'), 'apps/v1', 'DaemonSet', { spec: { selector, template } }),
  sample(namespaced(apps, 'daemonsets'), 'apps/v1', 'DaemonSet', {
    spec: { selector, template, updateStrategy: { type: 'OnDelete' } },
  }),
  sample(namespaced(apps, 'statefulsets'), 'apps/v1', 'StatefulSet', {
    spec: { selector, template, serviceName: 's' },
  }),
  sample(namespaced(apps, 'statefulsets'), 'apps/v1', 'StatefulSet', {
    spec: {
      selector,
      template,
      serviceName: 's',
      updateStrategy: { type: 'OnDelete' },
      volumeClaimTemplates: [
        {
          metadata: { name: 'd' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  }),
  sample(namespaced('/apis/batch/v1', 'jobs'), 'batch/v1', 'Job', {
    spec: { manualSelector: true, selector, template: jobTemplate },
  }),
  sample(namespaced('/apis/batch/v1', 'cronjobs'), 'batch/v1', 'CronJob', {
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template: jobTemplate } } },
  }),
  sample(namespaced('/apis/autoscaling/v2', 'horizontalpodautoscalers'), 'autoscaling/v2', 'HorizontalPodAutoscaler', {
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } },
  }),
  sample(namespaced('/apis/networking.k8s.io/v1', 'networkpolicies'), 'networking.k8s.io/v1', 'NetworkPolicy', {
    spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
  }),
  sample('/apis/networking.k8s.io/v1/ingressclasses', 'networking.k8s.io/v1', 'IngressClass', {
    spec: { controller: 'example.com/c', parameters: { kind: 'K', name: 'n' } },
  }),
  sample('/apis/scheduling.k8s.io/v1/priorityclasses', 'scheduling.k8s.io/v1', 'PriorityClass', { value: 1 }),
  sample('/apis/storage.k8s.io/v1/storageclasses', 'storage.k8s.io/v1', 'StorageClass', {
    provisioner: 'example.com/p',
  }),
  sample('/apis/storage.k8s.io/v1/csidrivers', 'storage.k8s.io/v1', 'CSIDriver', { spec: {} }),
  sample(
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    {
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 's', namespace: 'default' }],
    },
  ),
  sample(
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    'admissionregistration.k8s.io/v1',
    'ValidatingWebhookConfiguration',
    {
      webhooks: [
        {
          name: 'a.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { service: { name: 's', namespace: 'default' } },
          rules: [{ operations: ['CREATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods'] }],
        },
      ],
    },
  ),
  sample(
    '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    'admissionregistration.k8s.io/v1',
    'MutatingWebhookConfiguration',
    {
      webhooks: [
        {
          name: 'a.example.com',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: 'https://example.com/' },
        },
      ],
    },
  ),
  sample(namespaced('/apis/policy/v1', 'poddisruptionbudgets'), 'policy/v1', 'PodDisruptionBudget', {
    spec: { selector, minAvailable: 1 },
  }),
  sample(namespaced('/apis/discovery.k8s.io/v1', 'endpointslices'), 'discovery.k8s.io/v1', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'] }],
    ports: [{ port: 80 }],
  }),
]
