/** The question that a conversion webhook is asked, and how its answer is read. */
import { addressOf } from '../admission/webhook.ts'
import { bareFailure } from '../http/status.ts'
import { CallFailure } from '../http/webhook-call.ts'
import { bytesOf, isObject, type Json, type JsonObject, parseJson, printJson, textOf } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { uid } from '../random.ts'
import type { Operation } from '../request/backend.ts'

const seconds = 30

/** Throws the failure that the original answers with. */
export async function askConverter(
  objects: readonly KubeObject[],
  desired: string,
  operation: Operation,
): Promise<readonly KubeObject[]> {
  const { backend, kind, call } = operation
  const [first] = objects
  const subject = `${first?.apiVersion}, Kind=${kind.kind}`
  const fail = (why: string) => bareFailure(`conversion webhook for ${subject} failed: ${why}`)
  const id = uid(backend.random)
  const body = bytesOf(printJson(reviewOf(id, objects, desired)))
  try {
    const address = addressOf(backend, kind.conversion ?? {}, `?timeout=${seconds}s`)
    const answer = await backend.callWebhook({ address, body, seconds, agent: 'kube-apiserver', signal: call.signal })
    if (answer.status >= 300) throw new CallFailure(unexpected(answer.status, answer.body))
    return convertedIn(parsed(answer.body), id, objects, desired, fail)
  } catch (error) {
    if (error instanceof CallFailure || error instanceof SyntaxError) throw fail(error.message)
    throw error
  }
}

const reviewOf = (id: string, objects: readonly KubeObject[], desired: string): JsonObject => ({
  kind: 'ConversionReview',
  apiVersion: 'apiextensions.k8s.io/v1',
  request: { uid: id, desiredAPIVersion: desired, objects },
})

const unexpected = (status: number, body: Uint8Array) =>
  status === 404
    ? 'the server could not find the requested resource'
    : `an error on the server (${printJson(textOf(body).slice(0, 2048))}) has prevented the request from succeeding`

function parsed(body: Uint8Array): JsonObject {
  const review = parseJson(textOf(body))
  return isObject(review) ? review : {}
}

function convertedIn(
  review: JsonObject,
  id: string,
  objects: readonly KubeObject[],
  desired: string,
  fail: (why: string) => Error,
): readonly KubeObject[] {
  const response = isObject(review.response) ? review.response : undefined
  if (!response) throw fail('invalid response')
  if (response.uid !== id) throw fail(`expected response.uid="${id}", got ${JSON.stringify(response.uid ?? '')}`)
  const result = isObject(response.result) ? response.result : {}
  if (result.status !== 'Success') throw fail(typeof result.message === 'string' ? result.message : 'unknown')
  const found = Array.isArray(response.convertedObjects) ? (response.convertedObjects as readonly Json[]) : []
  if (found.length !== objects.length) {
    throw fail(`returned ${found.length} objects, expected ${objects.length}`)
  }
  return found.map((object, i) => checked(object, objects[i] as KubeObject, desired, i, fail))
}

/** Same kind, same name, same namespace, same uid: conversion is not a way to rename. */
function checked(
  object: Json,
  from: KubeObject,
  desired: string,
  index: number,
  fail: (why: string) => Error,
): KubeObject {
  const wrong = (why: string) => fail(`returned invalid converted object at index ${index}: ${why}`)
  if (!isObject(object) || !isObject(object.metadata)) throw wrong('missing metadata in converted object')
  if (object.apiVersion !== desired) {
    throw wrong(`invalid groupVersion (expected ${desired}, received ${String(object.apiVersion)})`)
  }
  if (object.kind !== from.kind) throw wrong(`invalid kind (expected ${from.kind}, received ${String(object.kind)})`)
  for (const key of ['name', 'namespace', 'uid'] as const) {
    if (object.metadata[key] !== from.metadata[key]) {
      throw fail(`returned invalid metadata in object at index ${index}: ${key} cannot be changed`)
    }
  }
  return object as unknown as KubeObject
}
