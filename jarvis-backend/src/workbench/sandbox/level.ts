import type { Clock } from '../../lib/clock.ts'
import { limited, usualLimits } from './argv.ts'
import { knowsLandlock } from './landlock.ts'
import { type Refusal, refusalOf } from './refusals.ts'
import { type Starter, startInCell } from './start.ts'

/**
 * How well a command is confined. `full`: bubblewrap, with namespaces of its own. `landlock`: files and system calls are confined,
 * processes and signals are not. `none`: no command runs.
 */
export type Level = 'full' | 'landlock' | 'none'

/** `said`: what the attempt wrote, for `doctor`. `at`: Unix ms; 0 before the first try. */
export type Verdict = { at: number } & ({ level: 'full' } | ({ level: 'landlock' | 'none'; said: string } & Refusal))

/** The level of this machine, tried and not guessed. */
export type Sandbox = {
  /** Of the last try. */
  verdict(): Verdict
  /** Tries where nobody has. */
  tried(): Promise<Verdict>
  /** Tries again: after a failed start, and when a person asks the doctor. */
  tryAgain(): Promise<Verdict>
}

const unknownYet = { because: 'the sandbox has not been tried yet', remedy: 'Wait a second.' }
const tryMs = 5_000

/** Tries the real arguments with `/usr/bin/true`. @param starter another program in place of bubblewrap, for tests */
export function createSandbox(
  clock: Clock,
  starter: Starter = {},
  landlock: () => Promise<boolean> = knowsLandlock,
): Sandbox {
  let verdict: Verdict = { at: 0, level: 'none', said: '', ...unknownYet }
  let trying: Promise<Verdict> | undefined
  let isTried = false

  async function tryOnce(): Promise<Verdict> {
    const started = startInCell({ binds: [], cwd: '/tmp' }, limited(usualLimits, ['/usr/bin/true']), starter)
    started.stdout.resume()
    started.stderr.resume()
    const late = clock.after(tryMs, () => started.kill())
    const ended = await started.ended
    late()
    const at = clock.now()
    if (ended.kind === 'ended' && ended.exitCode === 0) return { at, level: 'full' }
    const said = ended.kind === 'ended' ? `It ended with ${ended.exitCode}.` : ended.said
    const refusal = refusalOf(said)
    return { at, level: (await landlock()) ? 'landlock' : 'none', said, ...refusal }
  }

  function tryAgain(): Promise<Verdict> {
    trying ??= tryOnce().then((found) => {
      verdict = found
      isTried = true
      trying = undefined
      return found
    })
    return trying
  }

  return { verdict: () => verdict, tried: async () => (isTried ? verdict : tryAgain()), tryAgain }
}
