/** The same object, with some members done in another way; those it calls itself stay as they are. */
export function brokenBy<S extends object>(subject: S, patch: (subject: S) => Partial<S>): S {
  const patched = patch(subject)
  return new Proxy(subject, {
    get: (_, name) => {
      const from = name in patched ? patched : subject
      const member = Reflect.get(from, name, from)
      return typeof member === 'function' ? member.bind(from) : member
    },
  })
}
