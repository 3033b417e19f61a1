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

/** Lets the process do other things between the steps and while the disk is waited for. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next()
  while (step.done !== true) {
    const failure = await (step.value === undefined ? setImmediate() : flush(step.value)).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    step = failure === undefined ? steps.next() : steps.throw(failure.error)
  }
  return step.value
}
