/** The custom kind of the checklist: namespaced, with status and scale, a default, an enum, lists by key, of a set and atomic. */
import type { Loose } from './exchange.ts'

const items = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
  items: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, value: { type: 'string' } },
  },
}

export const widgetSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        color: { type: 'string', enum: ['red', 'green', 'blue'] },
        size: { type: 'integer', default: 3 },
        replicas: { type: 'integer' },
        title: { type: 'string' },
        items,
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        steps: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: { type: 'string' },
        replicas: { type: 'integer' },
        selector: { type: 'string' },
      },
    },
  },
}

export const widgetVersion: Loose = {
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: widgetSchema },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  selectableFields: [{ jsonPath: '.spec.color' }],
}

/** The definition of widgets in a group, with versions of one's own if need be. */
export function widgets(group: string, versions: readonly Loose[] = [widgetVersion], more: Loose = {}): Loose {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions,
      ...more,
    },
  }
}

export function widget(group: string, name: string, spec: Loose = {}, more: Loose = {}): Loose {
  return { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec, ...more }
}
