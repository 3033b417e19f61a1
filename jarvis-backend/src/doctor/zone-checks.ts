import { existsSync } from 'node:fs'
import type { DoctorCheck } from 'protocol'
import { isZone, ownZone } from '../lib/zone.ts'
import { ok, warn } from './check.ts'

const area = 'Time zone'
const advice = 'Set TZ in .env or the environment, for example TZ=Europe/Berlin, and start again.'

const isInContainer = () => existsSync('/.dockerenv') || existsSync('/run/.containerenv')

/**
 * Checks the time zone in which JARVIS counts hours, and names its source.
 * @param of `tz`: the variable TZ; `zone`, `isContainer`: default to those of this process
 */
export function zoneChecks(of: { tz: string | undefined; zone?: string; isContainer?: boolean }): DoctorCheck[] {
  const { tz = '', zone = ownZone(), isContainer = isInContainer() } = of
  const counts = `Hours of jobs, quiet times and the policy that name no zone count in ${zone}`
  if (tz !== '' && !isZone(tz.replace(/^:/, '')))
    return [warn(area, `TZ=${tz} is no name of a time zone. ${counts}.`, advice)]
  if (tz !== '') return [ok(area, `${counts}, set by TZ.`)]
  // A container does not use the time zone of its host by default.
  if (isContainer && /^(?:Etc\/)?UTC$/.test(zone))
    return [warn(area, `${counts}, the zone of this container.`, `If your clock is another: ${advice}`)]
  return [ok(area, `${counts}, the zone of this machine.`)]
}
