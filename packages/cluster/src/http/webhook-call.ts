/** A call to a webhook and its answer, before and after any socket. */

export interface WebhookAddress {
  /** As the configuration names it, for messages. */
  readonly url: string
  /** Where to connect to, when that is not the url's host: a service has no network here. */
  readonly connect?: string
  /** PEM; undefined: the authorities of the system. */
  readonly authority: string | undefined
}

export interface WebhookAnswer {
  readonly status: number
  readonly body: Uint8Array
}

export interface WebhookCall {
  readonly address: WebhookAddress
  readonly body: Uint8Array
  readonly seconds: number
  readonly agent: string
  readonly signal: AbortSignal
}

/** The call failed before there was an answer; the message is the original's. */
export class CallFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CallFailure'
  }
}

export type WebhookCaller = (call: WebhookCall) => Promise<WebhookAnswer>
