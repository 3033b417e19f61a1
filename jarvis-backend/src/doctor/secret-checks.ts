import { existsSync } from 'node:fs'
import type { DoctorCheck } from 'protocol'
import type { Sealing } from '../config/sealing.ts'
import { type SecretState, surveySecrets } from '../config/secret-survey.ts'
import { bad, ok, warn } from './check.ts'

const area = 'Secrets'

/** Checks which secrets of the data dir are sealed, and where their key is. Changes nothing. */
export function secretChecks(of: Sealing): DoctorCheck[] {
  if (!existsSync(of.dataDir)) return []
  const { secrets, key, problem, openToOthers, plainCopies, isRotating } = surveySecrets(of)
  const placesOf = (state: SecretState) => secrets.flatMap((one) => (one.state === state ? [one.place] : []))
  const plain = placesOf('plain')
  const closed = placesOf('closed')
  const checks: DoctorCheck[] = []
  if (problem !== undefined) checks.push(bad(area, problem, 'docs/secrets.md says what to do.'))
  else if (closed.length > 0)
    checks.push(
      warn(
        area,
        `No key here opens ${closed.join(', ')}.`,
        'Put their key beside yours, or: npm run jarvis -- secrets forget',
      ),
    )
  if (plain.length > 0)
    checks.push(
      warn(
        area,
        `Not sealed: ${plain.join(', ')}.`,
        'Restart JARVIS: its start seals them where it may replace the file.',
      ),
    )
  if (plainCopies.length > 0)
    checks.push(
      warn(area, `Copies with plain secrets: ${plainCopies.join(', ')}.`, 'Delete them when you do not need them.'),
    )
  if (openToOthers.length > 0)
    checks.push(
      warn(
        area,
        `Other accounts can read ${openToOthers.join(', ')}.`,
        'chmod 600 on it, then: npm run jarvis -- secrets rotate',
      ),
    )
  if (isRotating && problem === undefined)
    checks.push(warn(area, 'A change of the key was not finished.', 'npm run jarvis -- secrets rotate'))
  if (key?.isInDataDir === true)
    checks.push(
      warn(
        area,
        `Their key ${key.at} lies in the data dir, so a copy of the folder opens them.`,
        'Set JARVIS_SECRETS_KEY_FILE to a file elsewhere, then: npm run jarvis -- secrets rotate',
      ),
    )
  const sealed = secrets.length - plain.length - closed.length
  if (problem === undefined)
    checks.push(
      ok(
        area,
        key === undefined
          ? 'No keys yet: the first start makes them.'
          : `${sealed} sealed in the data dir, with the key ${key.id} of ${key.at}.`,
      ),
    )
  return checks
}
