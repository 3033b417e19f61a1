import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { Received } from './received.ts'

/** Maximum length of a server's message, bytes; a longer message ends the server. */
export const longestMessage = 8 * 1024 * 1024
/** Time between SIGTERM and SIGKILL, ms. */
const graceMs = 2_000

export type Launch = { command: string; args: readonly string[]; env: Record<string, string>; cwd: string }

/** The operating system reports the same error for a missing program and a missing folder. */
function whyNoStart({ code, message }: NodeJS.ErrnoException, { command, cwd }: Launch): string {
  if (code === 'EACCES') return `${command} may not be run`
  if (code !== 'ENOENT') return message
  return existsSync(cwd) ? `there is no program ${command}` : `there is no folder ${cwd}`
}

/**
 * Runs a server as a process with its own process group, so that its child processes end with it. The process gets only the given environment. Each
 * line is one message; a line that is too long ends the process.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #launch: Launch
  readonly #write: (source: 'stderr' | 'jarvis', text: string) => void
  readonly #received: Received
  #child: ChildProcess | undefined
  #gone: Promise<string> = Promise.resolve('')
  /** Reason why the process ended; undefined if `close` ended it. */
  ended: string | undefined
  #isClosing = false
  #parts: Buffer[] = []
  #length = 0

  /** @param write receives standard error and problems with messages, also before `onerror` is set */
  constructor(launch: Launch, write: (source: 'stderr' | 'jarvis', text: string) => void, received: Received) {
    this.#launch = launch
    this.#write = write
    this.#received = received
  }

  // The SDK recognises a process by `pid` and `stderr`, and gives it longer time-outs.
  get pid(): number | null {
    return this.#child?.pid ?? null
  }
  get stderr(): null {
    return null
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#launch
    const child = spawn(command, [...args], {
      env,
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    })
    this.#child = child
    // Listens to `exit`, because child processes may hold the pipes open, and then `close` is never emitted.
    this.#gone = new Promise((resolve) => {
      child.once('error', (error) => resolve(`it cannot be started: ${whyNoStart(error, this.#launch)}`))
      child.once('exit', (code, signal) =>
        resolve(signal === null ? `it ended with code ${code}` : `it ended by ${signal}`),
      )
    })
    void this.#gone.then((how) => {
      if (!this.#isClosing) this.ended = how
      // The process's last output may still be in the pipe, so wait before the streams are destroyed.
      setImmediate(() => {
        this.#signal('SIGKILL')
        child.stdin?.destroy()
        child.stdout?.destroy()
        this.onclose?.()
      })
    })
    child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk))
    child.stderr?.on('data', (chunk: Buffer) => this.#write('stderr', chunk.toString()))
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream?.on('error', (error) => this.onerror?.(error))
    }
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve)
      void this.#gone.then((how) => reject(new Error(how)))
    })
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    this.#received.sending(message)
    return new Promise((resolve, reject) => {
      if (stdin === null || stdin === undefined || !stdin.writable)
        reject(new Error(this.ended ?? 'It is not running.'))
      else stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Ends the process. Resolves when it has ended. */
  async close(): Promise<void> {
    if (this.#child === undefined) return
    this.#isClosing = true
    this.#child.stdin?.end()
    this.#signal('SIGTERM')
    const force = setTimeout(() => this.#signal('SIGKILL'), graceMs)
    await this.#gone
    clearTimeout(force)
  }

  /** Sends a signal to the process group. */
  #signal(signal: NodeJS.Signals) {
    const pid = this.#child?.pid
    if (pid === undefined) return
    try {
      process.kill(-pid, signal)
    } catch {
      // The process group has ended.
    }
  }

  #take(chunk: Buffer) {
    let rest = chunk
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      this.#parts.push(rest.subarray(0, end))
      const line = Buffer.concat(this.#parts).toString().trim()
      this.#parts = []
      this.#length = 0
      rest = rest.subarray(end + 1)
      if (line !== '') this.#read(line)
    }
    this.#parts.push(rest)
    this.#length += rest.length
    if (this.#length > longestMessage) {
      this.#parts = []
      this.#length = 0
      this.#write('jarvis', `It sent a message of over ${longestMessage / 1024 / 1024} MB and was ended.`)
      this.#signal('SIGKILL')
    }
  }

  #read(line: string) {
    try {
      const messages = this.#received.messages(JSON.parse(line))
      if (messages.length === 0) throw new Error('no object')
      for (const message of messages) this.onmessage?.(message as JSONRPCMessage)
    } catch {
      this.#write('jarvis', `It wrote what is no message: ${line.slice(0, 200)}`)
    }
  }
}
