import type { Clock } from 'node-kit/clock'
import { type Cell, type Limits, limited, usualLimits } from './argv.ts'
import type { Watch } from './layer-watch.ts'
import { createOutput, type Output } from './output.ts'
import { type Started, type Starter, startInCell } from './start.ts'

/** The reason why a command ended: by itself, because it used too much of a resource (`layer`: of its own folder), or because a person stopped it. */
export type Why = 'itself' | 'time' | 'memory' | 'processes' | 'disk' | 'layer' | 'stopped'
export type RunEnd =
  | { kind: 'ended'; exitCode: number; why: Why; durationMs: number; isAlone: boolean }
  | { kind: 'not_started'; said: string }

/** A running command, with its output. */
export type Running = {
  output: Output
  /** Resolves to true if bubblewrap began. The mount of the folder comes before it and may fail. */
  began: Promise<boolean>
  ended: Promise<RunEnd>
  /** Asks the command to end, and kills it two seconds later. */
  stop(): void
  write(text: string): boolean
}

/** Limits for all processes of a command together. The kernel's own limits count for each single process, and some do not hold for root. */
const together = { processes: 160, memoryBytes: 1024 ** 3 }
const lookMs = 250
const graceMs = 2_000

/**
 * Options of a run. `around`: puts a program, such as the relay to the proxy, before the limited shell. `start`: starts the program at another level
 * of the sandbox. `watch`: watches the amount that the command writes.
 */
export type RunOptions = {
  timeoutMs: number
  limits?: Limits
  starter?: Starter
  output?: Output
  around?: (program: readonly string[]) => string[]
  start?: (program: readonly string[]) => Started
  watch?: Watch
}

/**
 * Runs a command line with bash. Stdout and stderr become one stream, in the order of writing. @param options.clock the real clock, because programs
 * take real time
 */
export function runInCell(cell: Cell, command: string, options: RunOptions & { clock: Clock }): Running {
  const {
    clock,
    timeoutMs,
    limits = usualLimits,
    starter,
    output = createOutput(),
    around = (program) => [...program],
  } = options
  const shell = ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...limited(limits, ['/bin/bash', '-c', command])]
  const started = options.start?.(shell) ?? startInCell(cell, around(shell), starter)
  const startedAt = clock.now()
  started.stdout.on('data', (chunk: Buffer) => output.add(chunk))
  started.stderr.resume()
  const end = ending(started, clock)
  const late = clock.after(timeoutMs, () => end.ask('time'))
  const unwatch = options.watch?.(end.kill)
  const ended = started.ended.then((result): RunEnd => {
    late()
    unwatch?.()
    end.done()
    if (result.kind === 'not_started') return result
    return { ...result, why: end.why(), durationMs: clock.now() - startedAt }
  })
  return {
    output,
    began: started.began,
    ended,
    stop: () => end.ask('stopped'),
    write(text) {
      if (started.stdin?.writable !== true) return false
      started.stdin.write(text)
      return true
    },
  }
}

/**
 * Ends a command. If its time is over or a person stops it, the command gets time to end by itself; if it uses too much of a resource, it is killed
 * at once.
 */
function ending(started: Started, clock: Clock) {
  let why: Why = 'itself'
  const cancels: (() => void)[] = []
  const kill = (because: Why) => {
    if (why === 'itself') why = because
    started.kill()
  }
  const look = () => {
    const { count, memoryBytes } = started.processes()
    if (count > together.processes) kill('processes')
    else if (memoryBytes > together.memoryBytes) kill('memory')
    cancels[0] = clock.after(lookMs, look)
  }
  cancels.push(clock.after(lookMs, look))
  return {
    why: () => why,
    kill,
    ask(because: Why) {
      if (why !== 'itself') return
      why = because
      started.terminate()
      cancels.push(clock.after(graceMs, () => started.kill()))
    },
    done() {
      for (const cancel of cancels) cancel()
    },
  }
}
