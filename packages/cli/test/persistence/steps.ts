const root = '/api/v1/namespaces/default/configmaps'
const places = 5

export interface Step {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body: object
}

/** What the n-th step writes: a place is created, updated twice, and deleted, in turns of all places. */
export function stepOf(n: number): Step {
  const name = `c${n % places}`
  const body = { metadata: { name }, data: { n: String(n), filling: 'x'.repeat((n * 37) % 3000) } }
  switch (Math.floor(n / places) % 4) {
    case 0:
      return { method: 'POST', path: root, body }
    case 3:
      return { method: 'DELETE', path: `${root}/${name}`, body: {} }
    default:
      return { method: 'PUT', path: `${root}/${name}`, body }
  }
}

/** What is there after so many steps: names and the number of the step that wrote them. */
export function stateAfter(steps: number): Record<string, string> {
  const state: Record<string, string> = {}
  for (let n = 0; n < steps; n++) {
    const name = `c${n % places}`
    if (stepOf(n).method === 'DELETE') delete state[name]
    else state[name] = String(n)
  }
  return state
}
