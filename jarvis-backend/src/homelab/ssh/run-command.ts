import { constants } from 'node:os'
import { JarvisError } from 'protocol'
import type { ClientChannel } from 'ssh2'
import type { Clock } from '../../lib/clock.ts'
import type { CommandOutput } from '../ports.ts'
import { cappedOutput } from './capped-output.ts'
import type { Lease, SessionEnd } from './pool.ts'

export type CommandLimits = {
  /** Until the node begins a command. */
  startMs: number
  /** Until the command ends. */
  commandMs: number
  /** Until a terminated command ends, and until the output of an ended one is silent. */
  graceMs: number
  /** Bytes kept of each stream's start, and as many of its end. */
  keepBytes: number
}

/** Thrown where the command certainly did not begin. */
export class NotBegun extends Error {
  readonly why: 'lost' | 'refused'
  constructor(why: 'lost' | 'refused', options: { cause: unknown }) {
    super(`not begun: ${why}`, options)
    this.why = why
  }
}

/**
 * Runs one command line without TTY. Rejects at once when the signal aborts, and ends the command in the background.
 * @param lease released when its session is over, possibly later
 * @throws NotBegun, JarvisError `cluster_refused`, `outcome_unknown`, the signal's reason
 */
export function runCommand(
  lease: Lease,
  line: string,
  parts: {
    node: string
    clock: Clock
    limits: CommandLimits
    signal: AbortSignal
    /** Standard input. Default: empty. */
    input?: string
  },
): Promise<CommandOutput> {
  const { node, clock, limits, signal } = parts
  const { client, isLost, cut } = lease.connection
  const stdout = cappedOutput(limits.keepBytes)
  const stderr = cappedOutput(limits.keepBytes)
  let channel: ClientChannel | undefined
  let exit: { code: number } | { signal: string } | undefined
  let isSettled = false
  let isFreed = false
  let cancelGrace: (() => void) | undefined

  return new Promise((resolve, reject) => {
    const settle = (answer: () => void) => {
      if (isSettled) return
      isSettled = true
      signal.removeEventListener('abort', onAbort)
      disarmEnd()
      answer()
    }
    const fail = (error: unknown) => settle(() => reject(error))
    const free = (end: SessionEnd) => {
      if (isFreed) return
      isFreed = true
      cancelGrace?.()
      lease.release(end)
    }
    const unknown = (text: string) => new JarvisError('outcome_unknown', text)
    const giveUp = (error: unknown) => {
      fail(error)
      if (channel !== undefined) end(channel)
    }
    const onAbort = () => giveUp(signal.reason)

    if (signal.aborted) {
      free('over')
      reject(signal.reason)
      return
    }
    signal.addEventListener('abort', onAbort, { once: true })
    // If nothing answers, waiting callers of this connection must not wait longer.
    const disarmStart = clock.after(limits.startMs, cut)
    const disarmEnd = clock.after(limits.commandMs, () =>
      giveUp(
        unknown(
          `The command on ${node} did not end within ${limits.commandMs / 1000} s. JARVIS waits no longer; it may still run there.`,
        ),
      ),
    )
    try {
      client.exec(line, (error, opened) => {
        disarmStart()
        if (error === undefined) follow(opened)
        else refused(error)
      })
    } catch (cause) {
      disarmStart()
      free('left')
      fail(new NotBegun('lost', { cause }))
    }

    function refused(error: Error & { reason?: unknown }) {
      free(error.reason === undefined ? 'left' : 'refused')
      // ssh2 reports this where the server never opened the session, so the command was not sent.
      if (error.message === 'No response from server') fail(new NotBegun('lost', { cause: error }))
      else if (error.reason !== undefined) fail(new NotBegun('refused', { cause: error }))
      else fail(isLost() ? lost() : new JarvisError('cluster_refused', `${node} runs no commands over SSH.`))
    }

    function follow(opened: ClientChannel) {
      channel = opened
      lease.begun()
      opened.on('data', (chunk: Buffer) => take(stdout, chunk))
      opened.stderr.on('data', (chunk: Buffer) => take(stderr, chunk))
      opened.on('error', () => {})
      opened.on('exit', (code: number | null, name?: string) => {
        exit = code === null ? { signal: name ?? 'SIGKILL' } : { code }
        silence()
      })
      opened.once('close', () => {
        free(exit === undefined ? 'left' : 'over')
        finish()
      })
      // A program that has read enough may end before all input arrives; unread input is no failure.
      opened.end(parts.input)
      if (isSettled) end(opened)
    }

    function take(output: typeof stdout, chunk: Buffer) {
      if (!isSettled) output.add(chunk)
      silence()
    }

    /** A background process may hold the output open, so it counts as complete once it is silent. */
    function silence() {
      if (exit === undefined || isSettled) return
      cancelGrace?.()
      cancelGrace = clock.after(limits.graceMs, () => {
        channel?.close()
        finish()
        cancelGrace = clock.after(limits.graceMs, () => free('left'))
      })
    }

    function finish() {
      if (exit === undefined)
        fail(
          isLost()
            ? lost()
            : unknown(`The command on ${node} ended without an exit code: whether it succeeded is not known.`),
        )
      else {
        const how =
          'code' in exit ? { exitCode: exit.code } : { exitCode: exitCodeOf(exit.signal), signal: exit.signal }
        const leftOutBytes = stdout.leftOutBytes() + stderr.leftOutBytes()
        const truncated = leftOutBytes > 0
        settle(() =>
          resolve({
            stdout: stdout.text(),
            stderr: stderr.text(),
            ...how,
            truncated,
            ...(truncated && { leftOutBytes }),
          }),
        )
      }
    }

    const lost = () =>
      unknown(`The connection to ${node} was lost while the command ran. Whether it ran to its end is not known.`)

    /**
     * Asks the command to end and then closes its channel. The sshd of a root login delivers no signals: there a program that prints
     * nothing runs on.
     */
    function end(opened: ClientChannel) {
      cancelGrace?.()
      send(opened, 'TERM')
      cancelGrace = clock.after(limits.graceMs, () => {
        send(opened, 'KILL')
        opened.close()
        cancelGrace = clock.after(limits.graceMs, () => free('left'))
      })
    }
  })
}

/** Sends a signal. ssh2 refuses one on a channel whose input has ended, though the protocol allows it. */
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
