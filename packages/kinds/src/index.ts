/**
 * The built-in kinds that operators meet most, as types: read-only everywhere, times and quantities as strings, no index
 * signatures, no classes, no imports, no run-time code.
 * Guarantees: an object of these types is assignable to `KubeObject` of `@binnacle/core`, which knows metadata by the same shape.
 */

export interface StringMap {
  readonly [key: string]: string
}
interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}
interface Meta {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly generateName?: string
  readonly labels?: StringMap
  readonly annotations?: StringMap
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
}
interface NamespacedMeta extends Meta {
  readonly namespace: string
}
interface ClusterMeta extends Meta {
  readonly namespace?: never
}

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
  readonly observedGeneration?: number
}
export interface LabelSelector {
  readonly matchLabels?: StringMap
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}
export interface ResourceRequirements {
  readonly limits?: StringMap
  readonly requests?: StringMap
}
export interface EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean }
  }
}
export interface Probe {
  readonly httpGet?: { readonly path?: string; readonly port: number | string; readonly scheme?: string }
  readonly exec?: { readonly command?: readonly string[] }
  readonly periodSeconds?: number
  readonly timeoutSeconds?: number
}
export interface Container {
  readonly name: string
  readonly image?: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: readonly EnvVar[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly protocol?: string }[]
  readonly resources?: ResourceRequirements
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly?: boolean }[]
}
export interface Volume {
  readonly name: string
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string }
  readonly configMap?: { readonly name?: string; readonly optional?: boolean }
  readonly secret?: { readonly secretName?: string; readonly optional?: boolean }
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean }
}
export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}
export interface PodAffinityTerm {
  readonly topologyKey: string
  readonly labelSelector?: LabelSelector
  readonly namespaces?: readonly string[]
}
export interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms: readonly NodeSelectorTerm[]
    }
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number
      readonly preference: NodeSelectorTerm
    }[]
  }
  readonly podAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
  readonly podAntiAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
}
export interface PodSecurityContext {
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly runAsNonRoot?: boolean
  readonly fsGroup?: number
  readonly fsGroupChangePolicy?: string
  readonly seLinuxOptions?: {
    readonly user?: string
    readonly role?: string
    readonly type?: string
    readonly level?: string
  }
  readonly seccompProfile?: { readonly type: string; readonly localhostProfile?: string }
  readonly supplementalGroups?: readonly number[]
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[]
}
export interface PodSpec {
  readonly containers: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly volumes?: readonly Volume[]
  readonly nodeName?: string
  readonly nodeSelector?: StringMap
  readonly hostname?: string
  readonly subdomain?: string
  readonly hostNetwork?: boolean
  readonly hostPID?: boolean
  readonly hostIPC?: boolean
  readonly dnsPolicy?: string
  readonly dnsConfig?: { readonly nameservers?: readonly string[]; readonly searches?: readonly string[] }
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  readonly serviceAccountName?: string
  readonly automountServiceAccountToken?: boolean
  readonly terminationGracePeriodSeconds?: number
  readonly activeDeadlineSeconds?: number
  readonly priority?: number
  readonly priorityClassName?: string
  readonly preemptionPolicy?: string
  readonly schedulerName?: string
  readonly runtimeClassName?: string
  readonly enableServiceLinks?: boolean
  readonly shareProcessNamespace?: boolean
  readonly securityContext?: PodSecurityContext
  readonly affinity?: Affinity
  readonly tolerations?: readonly {
    readonly key?: string
    readonly operator?: string
    readonly value?: string
    readonly effect?: string
  }[]
  readonly imagePullSecrets?: readonly { readonly name: string }[]
  readonly overhead?: StringMap
}
export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  readonly conditions?: readonly Condition[]
  readonly message?: string
  readonly reason?: string
  readonly hostIP?: string
  readonly podIP?: string
  readonly podIPs?: readonly { readonly ip: string }[]
  readonly startTime?: string
  readonly qosClass?: string
  readonly nominatedNodeName?: string
  readonly containerStatuses?: readonly {
    readonly name: string
    readonly ready: boolean
    readonly restartCount: number
    readonly image: string
    readonly imageID: string
  }[]
}
export interface Pod {
  readonly apiVersion: 'v1'
  readonly kind: 'Pod'
  readonly metadata: NamespacedMeta
  readonly spec: PodSpec
  readonly status?: PodStatus
}
export interface PodTemplate {
  readonly metadata?: { readonly labels?: StringMap; readonly annotations?: StringMap }
  readonly spec: PodSpec
}
export interface Deployment {
  readonly apiVersion: 'apps/v1'
  readonly kind: 'Deployment'
  readonly metadata: NamespacedMeta
  readonly spec: {
    readonly replicas?: number
    readonly selector: LabelSelector
    readonly template: PodTemplate
    readonly paused?: boolean
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly progressDeadlineSeconds?: number
    readonly strategy?: {
      readonly type?: 'Recreate' | 'RollingUpdate'
      readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string }
    }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly unavailableReplicas?: number
    readonly conditions?: readonly Condition[]
  }
}
export interface Service {
  readonly apiVersion: 'v1'
  readonly kind: 'Service'
  readonly metadata: NamespacedMeta
  readonly spec: {
    readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName'
    readonly selector?: StringMap
    readonly clusterIP?: string
    readonly ports?: readonly {
      readonly name?: string
      readonly port: number
      readonly targetPort?: number | string
      readonly protocol?: string
    }[]
  }
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] }
  }
}
export interface ConfigMap {
  readonly apiVersion: 'v1'
  readonly kind: 'ConfigMap'
  readonly metadata: NamespacedMeta
  readonly data?: StringMap
  readonly binaryData?: StringMap
  readonly immutable?: boolean
}
export interface Secret {
  readonly apiVersion: 'v1'
  readonly kind: 'Secret'
  readonly metadata: NamespacedMeta
  readonly type?: string
  readonly data?: StringMap
  readonly stringData?: StringMap
  readonly immutable?: boolean
}
export interface PersistentVolumeClaim {
  readonly apiVersion: 'v1'
  readonly kind: 'PersistentVolumeClaim'
  readonly metadata: NamespacedMeta
  readonly spec: {
    readonly accessModes?: readonly string[]
    readonly storageClassName?: string
    readonly volumeName?: string
    readonly resources?: ResourceRequirements
  }
  readonly status?: { readonly phase?: 'Pending' | 'Bound' | 'Lost'; readonly capacity?: StringMap }
}
export interface Namespace {
  readonly apiVersion: 'v1'
  readonly kind: 'Namespace'
  readonly metadata: ClusterMeta
  readonly spec: { readonly finalizers?: readonly string[] }
  readonly status?: { readonly phase?: 'Active' | 'Terminating'; readonly conditions?: readonly Condition[] }
}
export interface Node {
  readonly apiVersion: 'v1'
  readonly kind: 'Node'
  readonly metadata: ClusterMeta
  readonly spec: {
    readonly unschedulable?: boolean
    readonly podCIDR?: string
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[]
  }
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly capacity?: StringMap
    readonly allocatable?: StringMap
  }
}

/** Which type a resource name stands for: a plural, or `plural.group`. */
export interface BuiltInKinds {
  pods: Pod
  services: Service
  configmaps: ConfigMap
  secrets: Secret
  persistentvolumeclaims: PersistentVolumeClaim
  namespaces: Namespace
  nodes: Node
  deployments: Deployment
  'deployments.apps': Deployment
}
