// The object that most examples are tried on, as 01-minimal/sample.yaml has it.
export const sample = {
  metadata: {
    name: 'kopf-example-1',
    labels: { somelabel: 'somevalue' },
    annotations: { someannotation: 'somevalue' },
  },
  spec: { duration: '1m', field: 'value', items: ['item1', 'item2'] },
}
