import { fsync, fsyncSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Work that may be put off between its steps. A number is an open file to flush before the next step; undefined: nothing but a breath. */
export type Steps<T> = Generator<number | undefined, T>

const flush = promisify(fsync)

/** Does all steps before it returns. */
export function atOnce<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value
    if (step.value !== undefined) fsyncSync(step.value)
  }
}

/** Lets the process do other things while the disk is waited for and between the steps, or between as many as `turnMs` allows. */
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
