import type { DoctorReply } from 'protocol'
import type { Config } from '../config/config.ts'
import { bad, badFrom } from './check.ts'
import type { Examination, Inspector } from './inspector.ts'
import { inspectors } from './inspectors.ts'

/** Time limit for all checks, ms; the checks of a slow cluster are cut short and say so. */
const patienceMs = 45_000

/** Runs all inspectors in parallel. Changes nothing; never rejects. @param all the inspectors; those of JARVIS if absent */
export async function examine(
  config: Config,
  parts: Examination,
  all: readonly Inspector[] = inspectors,
): Promise<DoctorReply> {
  const at = parts.clock.now()
  const ending = new AbortController()
  const disarm = parts.clock.after(patienceMs, () => ending.abort(new Error('it took too long')))
  try {
    const groups = await Promise.all(
      all.map(async ({ area, inspect }) => {
        try {
          return await inspect({ config, signal: ending.signal, parts })
        } catch (error) {
          return [badFrom(area, error, 'Try again; the log says more.')]
        }
      }),
    )
    const checks = groups.flat().map(({ text, fix, ...check }) => ({
      ...check,
      text: parts.redact(text),
      ...(fix !== undefined && { fix: parts.redact(fix) }),
    }))
    return { ok: !checks.some(({ health }) => health === 'bad'), at, tookMs: parts.clock.now() - at, checks }
  } finally {
    disarm()
  }
}

/** The reply for a configuration that cannot be used. */
export const unusable = (problem: string, at: number): DoctorReply => ({
  ok: false,
  at,
  tookMs: 0,
  checks: [bad('Configuration', problem, 'Mend it in .env (.env.example shows how), then run this again.')],
})
