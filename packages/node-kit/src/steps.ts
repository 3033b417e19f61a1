import { fsync, fsyncSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'

/**
 * Work that can pause between its steps. A yielded number is the descriptor of an open file to flush before the next step; undefined: only a pause.
 */
export type Steps<T> = Generator<number | undefined, T>

const flush = promisify(fsync)

/** Runs all steps synchronously. */
export function atOnce<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    if (step.value !== undefined) fsyncSync(step.value)
  }
}

/**
 * Runs the steps, and lets the process do other work while the disk is flushed and between steps. `turnMs`: steps that follow within this time run
 * without a pause.
 */
export async function inTurns<T>(steps: Steps<T>, turnMs = 0): Promise<T> {
  let until = performance.now() + turnMs
  let step = steps.next()
  while (step.done !== true) {
    if (step.value === undefined && performance.now() < until) {
      step = steps.next()
      continue
    }
    const failure = await (step.value === undefined ? setImmediate() : flush(step.value)).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    until = performance.now() + turnMs
    step = failure === undefined ? steps.next() : steps.throw(failure.error)
  }
  return step.value
}
