/**
 * Objects as rows for people: columns of built-in kinds as the original has them, columns of custom kinds from their definitions.
 * Guarantees: as many cells as columns; a value that is missing or of another type is null or empty, never an error.
 */
import { type Json, type JsonObject, printJson } from '../json.ts'
import { field, type KubeObject, type Metadata } from '../object.ts'
import { sortedKeys } from '../patch/typed.ts'
import { columns } from './data/columns.ts'
import { lazily } from './generated-data.ts'
import { ageOf } from './human.ts'
import { findJson } from './json-path.ts'
import { type Kind, type KindVersion, kindId, type PrinterColumn } from './kind.ts'
import { general, printersOf } from './printers.ts'

export interface TableFormat {
  readonly version: 'v1' | 'v1beta1'
  /** How much of the object comes with its row. */
  readonly include: 'None' | 'Metadata' | 'Object'
  /** Ages are counted from here. */
  readonly now: Date
}

const columnData = lazily<{ readonly [kind: string]: readonly JsonObject[] }>(columns)

/** Name and Age, as every kind has them. */
function commonColumns(): { readonly name: JsonObject; readonly age: JsonObject } {
  const [name = {}, , age = {}] = columnData()['/v1/configmaps'] ?? []
  return { name, age: { ...age, type: 'date' } }
}

export function columnsOf(kind: Kind, version: KindVersion): readonly JsonObject[] {
  const known = kind.builtIn ? columnData()[`${kind.group}/${version.name}/${kind.plural}`] : undefined
  if (known) return known
  const { name, age } = commonColumns()
  if (version.columns === undefined) return [name, age]
  return [name, ...version.columns.map(definitionOf)]
}

const definitionOf = ({ name, type, format, description, priority, jsonPath }: PrinterColumn): JsonObject => ({
  name,
  type,
  format,
  description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  priority,
})

export function cellsOf(object: KubeObject, kind: Kind, version: KindVersion, now: Date): readonly Json[] {
  if (!kind.builtIn) return customCells(object, version, now)
  const own = printersOf(kindId(kind))
  return columnsOf(kind, version).map((column) => {
    const name = String(column.name)
    const printer = own[name] ?? general[name]
    return printer ? printer(object, now) : ''
  })
}

function customCells(object: KubeObject, version: KindVersion, now: Date): readonly Json[] {
  const name = object.metadata.name ?? ''
  if (version.columns === undefined) return [name, ageOf(object.metadata.creationTimestamp, now)]
  return [name, ...version.columns.map((column) => customCell(object, column, now))]
}

function customCell(object: KubeObject, { type, jsonPath }: PrinterColumn, now: Date): Json {
  const found = findJson(jsonPath, object)
  const [value] = found
  if (value === undefined || value === null) return null
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? dateCell(value, now) : null
    default:
      return typeof value === 'string' ? value : printJson(sortedKeys(value))
  }
}

const dateCell = (value: string, now: Date) => (Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, now))

/** One object as a row. */
export function rowOf(object: KubeObject, kind: Kind, version: KindVersion, format: TableFormat): JsonObject {
  return { cells: cellsOf(object, kind, version, format.now), object: rowObject(object, format) }
}

function rowObject(object: KubeObject, format: TableFormat): JsonObject | null {
  if (format.include === 'None') return null
  const metadata = {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${format.version}`,
    metadata: object.metadata,
  }
  return format.include === 'Object' ? object : metadata
}

const scaleColumn = (name: string, description: string): JsonObject => ({
  name,
  type: 'integer',
  format: '',
  description,
  priority: 0,
})

/** A Scale has no kind of its own in discovery; its columns are those that the original prints. */
export function scaleTable(scale: JsonObject, format: TableFormat): JsonObject {
  const { name, age } = commonColumns()
  const metadata = scale.metadata as Metadata
  const count = (part: string) => field(scale[part], 'replicas') ?? 0
  const cells = [metadata.name ?? '', count('spec'), count('status'), ageOf(metadata.creationTimestamp, format.now)]
  const desired = scaleColumn('Desired', 'Number of desired replicas')
  const available = scaleColumn('Available', 'Number of actual replicas')
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${format.version}`,
    metadata: { resourceVersion: metadata.resourceVersion as string },
    columnDefinitions: [name, desired, available, age],
    rows: [{ cells, object: rowObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', ...scale, metadata }, format) }],
  }
}
