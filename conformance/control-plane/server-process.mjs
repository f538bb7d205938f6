/**
 * One server of the control plane as a process of its own, with its log in a file.
 *
 * Guarantees: after `stop` the process is gone. It does not hear the terminal's Ctrl-C; its owner decides when it ends.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

// kube-apiserver waits much longer than this for watches that nobody closes.
const PATIENCE_MS = 5_000

export class ServerProcess {
  /** The program's name, as in kube-apiserver. */
  name
  #log
  #child
  /** Whether the process has ended, for whatever reason. */
  ended = false
  /** @type {Promise<void>} */
  #end

  /**
   * @param {string} program @param {readonly string[]} args
   * @param {{ readonly log: string, readonly cwd: string }} options `log` is appended to
   */
  constructor(program, args, { log, cwd }) {
    this.name = basename(program)
    this.#log = log
    const out = openSync(log, 'a')
    this.#child = spawn(program, args, { cwd, detached: true, stdio: ['ignore', out, out] })
    closeSync(out)
    this.#end = new Promise((resolve) => {
      const end = () => {
        this.ended = true
        resolve()
      }
      this.#child.once('exit', end)
      this.#child.once('error', end)
    })
    // A starter that forgets to stop it may still end; the guard then cleans up.
    this.#child.unref()
  }

  /** Undefined where the program could not even be started. */
  get pid() {
    return this.#child.pid
  }

  /** The last lines of the log: what to show when it died. */
  logTail(count = 15) {
    return readFileSync(this.#log, 'utf8').trimEnd().split('\n').slice(-count).join('\n')
  }

  /** @param {'SIGTERM' | 'SIGKILL'} signal how to ask; a process that does not listen to SIGTERM is killed in the end */
  async stop(signal = 'SIGTERM') {
    if (this.ended) return
    this.#child.ref()
    this.#child.kill(signal)
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS)
    await this.#end
    clearTimeout(timer)
  }
}
