import type { Clock } from '../../lib/clock.ts'
import { limited, usualLimits } from './argv.ts'
import { landlockAbi, landlockFilter } from './landlock.ts'
import { type Refusal, refusalOf } from './refusals.ts'
import { type Starter, startInCell } from './start.ts'

/**
 * How well a command is confined. `full`: bubblewrap, with namespaces of its own. `landlock`: files, signals and system calls are confined, and all
 * else is shared with this machine; commands are off unless policy.yaml says otherwise. `none`: no command runs.
 */
export type Level = 'full' | 'landlock' | 'none'

/** The level of a sandbox that commands run in. `abi`: the version of Landlock. */
export type Confined = { level: 'full' } | { level: 'landlock'; abi: number }

/** `said`: what the attempt wrote, for `doctor`. `abi`: the version of Landlock, 0 for none. `at`: Unix ms; 0 before the first try. */
export type Verdict = { at: number } & (
  | { level: 'full' }
  | ({ level: 'landlock' | 'none'; abi: number; said: string } & Refusal)
)

/** The level of this machine, tried and not guessed. */
export type Sandbox = {
  /** The verdict of the last try. */
  verdict(): Verdict
  /** Tries the sandbox, unless it was tried before. */
  tried(): Promise<Verdict>
  /** Tries again: after a failed start, and when a person asks the doctor. */
  tryAgain(): Promise<Verdict>
}

const unknownYet = { because: 'the sandbox has not been tried yet', remedy: 'Wait a second.' }
const tryMs = 5_000

/** From this version on, Landlock judges whether a file is emptied. Root may else empty the programs of the machine that it reads. */
const judgesEmptying = 3

function secondLevel(abi: number, refusal: Refusal): { level: 'landlock' | 'none'; abi: number } & Refusal {
  const isRoot = process.getuid?.() === 0
  if (isRoot && abi > 0 && abi < judgesEmptying)
    return {
      ...refusal,
      level: 'none',
      abi,
      because: `${refusal.because}, and for root Landlock needs Linux 6.2 or newer`,
    }
  return { ...refusal, level: abi > 0 && landlockFilter(abi) !== undefined ? 'landlock' : 'none', abi }
}

/** Tells people what the second level of the sandbox does not prevent, and what it refuses in addition. */
export const landlockWords =
  'No namespace separates it from this machine: it runs as JARVIS’s user, sees whether a file is there and how large it is, and takes from the same memory and processor. chmod, chown and dates of files by name are refused to it; where JARVIS is root, of open files too, so that sed -i leaves files that nobody else may read.'

/** Why no command runs at a level, and what mends it; undefined if they run. @param allowsLandlock what policy.yaml says of the second level */
export function offAt(verdict: Verdict, allowsLandlock: boolean): Refusal | undefined {
  if (verdict.level === 'full' || (verdict.level === 'landlock' && allowsLandlock)) return undefined
  const { level, because, remedy } = verdict
  if (level === 'none') return { because, remedy }
  return {
    because: `this machine confines them by Landlock alone, because ${because}`,
    remedy: `${remedy} ${landlockWords} To run commands all the same, an owner writes landlock: true below workbench: in policy.yaml.`,
  }
}

/** Tries the real arguments with `/usr/bin/true`. @param starter another program in place of bubblewrap, for tests */
export function createSandbox(
  clock: Clock,
  starter: Starter = {},
  landlock: () => Promise<number> = landlockAbi,
): Sandbox {
  let verdict: Verdict = { at: 0, level: 'none', abi: 0, said: '', ...unknownYet }
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
    return { at, said, ...secondLevel(await landlock(), refusalOf(said)) }
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
