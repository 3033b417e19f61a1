import { constants } from 'node:os'
import type { CommandOutput } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'
import type { ClientChannel } from 'ssh2'
import type { Clock } from '../../lib/clock.ts'
import { type CappedOutput, cappedOutput } from './capped-output.ts'
import type { Lease, SessionEnd } from './pool.ts'

export type CommandLimits = {
  /** Time limit until the node begins a command. */
  startMs: number
  /** Time limit until the command ends. */
  commandMs: number
  /** Time that a terminated command gets to end. Also the silence after which the output of an ended command counts as complete. */
  graceMs: number
  /** Bytes kept of each stream's start, and as many of its end. */
  keepBytes: number
}

/** Thrown if the command certainly did not begin. */
export class NotBegun extends Error {
  readonly why: 'lost' | 'refused'
  constructor(why: 'lost' | 'refused', options: { cause: unknown }) {
    super(`not begun: ${why}`, options)
    this.why = why
  }
}

type CommandParts = {
  node: string
  clock: Clock
  limits: CommandLimits
  signal: AbortSignal
  /** Standard input. Default: empty. */
  input?: string
}

/** Settles the promise of a command. */
type Answer = { resolve(output: CommandOutput): void; reject(error: unknown): void }

/**
 * Runs one command line without a TTY. If the signal aborts, rejects at once and ends the command in the background.
 * @param lease released when its session is over, possibly after the answer
 * @throws NotBegun; JarvisError `cluster_refused`, `outcome_unknown`; the signal's reason
 */
export function runCommand(lease: Lease, line: string, parts: CommandParts): Promise<CommandOutput> {
  return new Promise((resolve, reject) => new Command(lease, parts, { resolve, reject }).start(line))
}

/** A command from its start to the end of its session, which may outlive the answer. */
class Command {
  readonly #lease: Lease
  readonly #parts: CommandParts
  readonly #answer: Answer
  readonly #stdout: CappedOutput
  readonly #stderr: CappedOutput
  #channel: ClientChannel | undefined
  #exit: { code: number } | { signal: string } | undefined
  #isSettled = false
  #isFreed = false
  #disarmEnd = () => {}
  #cancelGrace: (() => void) | undefined

  constructor(lease: Lease, parts: CommandParts, answer: Answer) {
    this.#lease = lease
    this.#parts = parts
    this.#answer = answer
    this.#stdout = cappedOutput(parts.limits.keepBytes)
    this.#stderr = cappedOutput(parts.limits.keepBytes)
  }

  start(line: string) {
    const { node, clock, limits, signal } = this.#parts
    const { client, cut } = this.#lease.connection
    if (signal.aborted) {
      this.#free('over')
      this.#answer.reject(signal.reason)
      return
    }
    signal.addEventListener('abort', this.#onAbort, { once: true })
    // If the node does not answer at all, the connection is closed, so that callers who wait for a session on it do not wait longer.
    const disarmStart = clock.after(limits.startMs, cut)
    this.#disarmEnd = clock.after(limits.commandMs, () =>
      this.#giveUp(
        unknownEnd(
          `The command on ${node} did not end within ${limits.commandMs / 1000} s. JARVIS waits no longer; it may still run there.`,
        ),
      ),
    )
    try {
      client.exec(line, (error, opened) => {
        disarmStart()
        if (error === undefined) this.#follow(opened)
        else this.#refused(error)
      })
    } catch (cause) {
      disarmStart()
      this.#free('left')
      this.#fail(new NotBegun('lost', { cause }))
    }
  }

  readonly #onAbort = () => this.#giveUp(this.#parts.signal.reason)

  #settle(answer: () => void) {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#parts.signal.removeEventListener('abort', this.#onAbort)
    this.#disarmEnd()
    answer()
  }

  #fail(error: unknown) {
    this.#settle(() => this.#answer.reject(error))
  }

  /** Rejects now, and ends the command in the background. */
  #giveUp(error: unknown) {
    this.#fail(error)
    if (this.#channel !== undefined) this.#end(this.#channel)
  }

  #free(end: SessionEnd) {
    if (this.#isFreed) return
    this.#isFreed = true
    this.#cancelGrace?.()
    this.#lease.release(end)
  }

  #refused(error: Error & { reason?: unknown }) {
    const { node } = this.#parts
    this.#free(error.reason === undefined ? 'left' : 'refused')
    // ssh2 gives this error if the server never opened the session. The command was then not sent.
    if (error.message === 'No response from server') this.#fail(new NotBegun('lost', { cause: error }))
    else if (error.reason !== undefined) this.#fail(new NotBegun('refused', { cause: error }))
    else if (this.#isLost()) this.#fail(this.#lost())
    else this.#fail(new JarvisError('cluster_refused', `${node} runs no commands over SSH.`))
  }

  #follow(opened: ClientChannel) {
    this.#channel = opened
    this.#lease.begun()
    opened.on('data', (chunk: Buffer) => this.#take(this.#stdout, chunk))
    opened.stderr.on('data', (chunk: Buffer) => this.#take(this.#stderr, chunk))
    opened.on('error', () => {})
    opened.on('exit', (code: number | null, name?: string) => {
      this.#exit = code === null ? { signal: name ?? 'SIGKILL' } : { code }
      this.#silence()
    })
    opened.once('close', () => {
      this.#free(this.#exit === undefined ? 'left' : 'over')
      this.#finish()
    })
    // A program may end before it has read all of its input. Unread input is not a failure.
    opened.end(this.#parts.input)
    if (this.#isSettled) this.#end(opened)
  }

  #take(output: CappedOutput, chunk: Buffer) {
    if (!this.#isSettled) output.add(chunk)
    this.#silence()
  }

  /**
   * A background process may keep the output open after the command has ended. The output counts as complete once it has been silent for `graceMs`.
   */
  #silence() {
    if (this.#exit === undefined || this.#isSettled) return
    this.#afterGrace(() => {
      this.#channel?.close()
      this.#finish()
      this.#afterGrace(() => this.#free('left'))
    })
  }

  #finish() {
    const { node } = this.#parts
    const exit = this.#exit
    if (exit === undefined) {
      const unclear = `The command on ${node} ended without an exit code: whether it succeeded is not known.`
      this.#fail(this.#isLost() ? this.#lost() : unknownEnd(unclear))
      return
    }
    const how = 'code' in exit ? { exitCode: exit.code } : { exitCode: exitCodeOf(exit.signal), signal: exit.signal }
    const leftOutBytes = this.#stdout.leftOutBytes() + this.#stderr.leftOutBytes()
    const truncated = leftOutBytes > 0
    this.#settle(() =>
      this.#answer.resolve({
        stdout: this.#stdout.text(),
        stderr: this.#stderr.text(),
        ...how,
        truncated,
        ...(truncated && { leftOutBytes }),
      }),
    )
  }

  /**
   * Sends the command a signal to end, and then closes its channel. Some servers deliver no signals to a root login: there a program that prints
   * nothing runs on.
   */
  #end(opened: ClientChannel) {
    this.#cancelGrace?.()
    send(opened, 'TERM')
    this.#afterGrace(() => {
      send(opened, 'KILL')
      opened.close()
      this.#afterGrace(() => this.#free('left'))
    })
  }

  /** Runs `run` after the grace period. Cancels an earlier `run` that still waits. */
  #afterGrace(run: () => void) {
    this.#cancelGrace?.()
    this.#cancelGrace = this.#parts.clock.after(this.#parts.limits.graceMs, run)
  }

  #isLost(): boolean {
    return this.#lease.connection.isLost()
  }

  #lost(): JarvisError {
    const { node } = this.#parts
    return unknownEnd(
      `The connection to ${node} was lost while the command ran. Whether it ran to its end is not known.`,
    )
  }
}

const unknownEnd = (text: string) => new JarvisError('outcome_unknown', text)

/** Sends a signal to the command. ssh2 refuses to send a signal on a channel whose input has ended, although the protocol allows it. */
function send(channel: ClientChannel, name: 'TERM' | 'KILL') {
  const outgoing = channel.outgoing as { state: string }
  const { state } = outgoing
  if (state !== 'eof' && state !== 'open') return
  outgoing.state = 'open'
  channel.signal(name)
  outgoing.state = state
}

/** A signal as an exit code: 128 plus its number. */
const exitCodeOf = (name: string) => 128 + (constants.signals[name as NodeJS.Signals] ?? 0)
