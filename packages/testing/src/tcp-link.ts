import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Link } from './link.ts'

/** A port on the loopback interface behind which another address lies, as long as the link holds. */
export class TcpLink implements Link, AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #severed = false

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((near) => this.#join(near, target))
  }

  static async to(target: { readonly host: string; readonly port: number }): Promise<TcpLink> {
    const link = new TcpLink(target)
    link.#server.listen(0, '127.0.0.1')
    await once(link.#server, 'listening')
    return link
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  sever(): void {
    this.#severed = true
    this.cut()
  }

  restore(): void {
    this.#severed = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sever()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket, target: { readonly host: string; readonly port: number }): void {
    if (this.#severed) return void near.destroy()
    const far = connect(target)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.#sockets.delete(socket)
        other.destroy()
      })
    }
  }
}
