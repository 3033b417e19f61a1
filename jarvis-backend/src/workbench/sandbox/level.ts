import { limited, usualLimits } from 'sandbox/argv'
import { landlockAbi, landlockFilter } from 'sandbox/landlock'
import { type Starter, startInCell } from 'sandbox/start'
import { taskGroup } from 'sandbox/task-group'
import type { Clock } from '../../lib/clock.ts'
import { type Refusal, refusalOf } from './refusals.ts'

/**
 * The degree to which a command is confined. `full`: bubblewrap, with own namespaces. `landlock`: files, signals and system calls are confined, and
 * everything else is shared with the host; commands are off unless policy.yaml allows this level. `none`: no command runs.
 */
export type Level = 'full' | 'landlock' | 'none'

/**
 * The result of trying the sandbox. `said`: the output of the attempt, for `doctor`. `abi`: the version of Landlock, 0 for none. `at`: Unix ms; 0
 * before the first try.
 */
export type Verdict = { at: number } & (
  | { level: 'full' }
  | ({ level: 'landlock' | 'none'; abi: number; said: string } & Refusal)
)

/** The level that this machine supports, found by trying. */
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

/** From this version on, Landlock controls truncating a file. Below it, root could empty the host's programs that it may read. */
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

/** Warns operators if no cgroup bounds the processes of commands. */
export const unboundedWords = (group = taskGroup()): string[] =>
  group.kind === 'none'
    ? [
        'JARVIS runs as root, whose processes the kernel does not limit, and may make no control group: a command that starts thousands is ended late. Run JARVIS as an ordinary user.',
      ]
    : []

/**
 * Returns the reason why no command runs at a level, with the remedy; undefined if commands run. @param allowsLandlock the setting of policy.yaml
 * for the second level
 */
export function offAt(verdict: Verdict, allowsLandlock: boolean): Refusal | undefined {
  if (verdict.level === 'full' || (verdict.level === 'landlock' && allowsLandlock)) return undefined
  const { level, because, remedy } = verdict
  if (level === 'none') return { because, remedy }
  return {
    because: `this machine confines them by Landlock alone, because ${because}`,
    remedy: `${remedy} ${landlockWords} To run commands all the same, an owner writes landlock: true below workbench: in policy.yaml.`,
  }
}

/** Tries the sandbox with the arguments of a command and `/usr/bin/true`. @param starter replaces bubblewrap, for tests */
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
