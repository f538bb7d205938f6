/**
 * Every code that an error of Binnacle can carry, with what it means and what to do about it.
 * Guarantees: `docs/reference/errors.md` has one entry for each code and no other; a test holds both together.
 */
export const ERROR_CODES = {
  BIN_DURATION: {
    meaning: 'A length of time was given in a form that is not understood.',
    remedy: "Give seconds as a number, or a string with a unit such as '500ms', '5s', '2m', '1h30m'.",
  },
  BIN_SELECTOR: {
    meaning: 'A label or field selector cannot be read.',
    remedy: 'Use the syntax of kubectl: key=value, key!=value, key in (a,b), key notin (a,b), key, !key.',
  },
  BIN_KEY: {
    meaning: 'An object has no name to be stored under, or a key has more than two parts.',
    remedy: 'Check that the object has metadata.name; keys are `name` or `namespace/name`.',
  },
  BIN_PATCH: {
    meaning: 'A patch would write to a place that no object may have, such as `__proto__`.',
    remedy: 'Look where the keys of the patch come from; data from outside must not choose them.',
  },
  BIN_SCHEMA: {
    meaning: 'No CustomResourceDefinition can be made from the schema of a resource.',
    remedy: 'Give a structural OpenAPI schema, or a schema library that can print JSON Schema (zod 4 can).',
  },
  BIN_RESOURCE: {
    meaning: 'A resource is declared or named in a way that no API server can serve.',
    remedy:
      'Name it as `plural`, `plural.group`, `plural.version.group` or `group/version/plural`, or declare it with `resource`.',
  },
  BIN_KUBECONFIG: {
    meaning: 'The kubeconfig cannot be read, or lacks what is needed to reach a server.',
    remedy: 'The message names file and field. `kubectl config view` shows what kubectl makes of the same files.',
  },
  BIN_NETWORK: {
    meaning: 'The API server gave no answer: connection refused or lost, or the deadline passed.',
    remedy: 'Check that the server runs and is reachable at the address in the message.',
  },
  BIN_LOGIN: {
    meaning: 'No credentials are left that the API server accepts.',
    remedy: 'Renew the token or the certificate in the kubeconfig, or check the service account of the pod.',
  },
  BIN_UNKNOWN_RESOURCE: {
    meaning: 'The API server does not serve a resource that a handler or a request names.',
    remedy: 'Install its CustomResourceDefinition, or correct the name.',
  },
  BIN_DECLARATION: {
    meaning: 'The declaration of a handler contradicts itself or another one.',
    remedy: 'The message names the handler, and the hint shows the line to write.',
  },
  BIN_SETTINGS: {
    meaning: 'A setting has a value that it cannot have.',
    remedy: 'The message names the setting and what it accepts.',
  },
  BIN_HEALTH: {
    meaning: 'Health and figures cannot be served where they should be.',
    remedy: 'Choose another port, host or path in the option `health` of `run`.',
  },
  BIN_STATE: {
    meaning: 'Something was asked for at a time when it cannot be done, such as declaring a handler after the start.',
    remedy: 'The message says what has to come first.',
  },
  BIN_TASK: {
    meaning: 'A background task that the operator cannot do without has failed for good.',
    remedy: 'The cause says what happened; the operator stops, so that Kubernetes can start it anew.',
  },
  BIN_WORKER: {
    meaning:
      'The file of a worker handler cannot be used, its thread has ended, or something cannot be sent to or from a thread.',
    remedy: 'The message says which; worker files export one handler made by `inWorker`, and deal in plain data.',
  },
  BIN_STORE: {
    meaning: 'A store or an index refused a change, and nothing was changed.',
    remedy: 'The cause says which function failed for which object.',
  },
  BIN_NOT_SETTLED: {
    meaning: 'A test waited for the operator to come to rest, and something kept going.',
    remedy:
      'The message names what kept going: most often a handler that never ends, or two handlers that undo each other.',
  },
  BIN_EXPECTATION: {
    meaning: 'A test expected something else than what happened.',
    remedy: 'The message shows both, and the timeline of what happened.',
  },
  BIN_USAGE: {
    meaning: 'A command was called with words or flags that it does not know.',
    remedy: 'Call it with --help.',
  },
  BIN_OPERATOR_FILE: {
    meaning: 'A file that should declare an operator cannot be loaded, or declares none.',
    remedy: 'The message shows the place in the file. Export the operator: `export const op = operator(…)`.',
  },
} as const satisfies Record<string, { readonly meaning: string; readonly remedy: string }>

export type ErrorCode = keyof typeof ERROR_CODES
