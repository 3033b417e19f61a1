import { existsSync } from 'node:fs'
import type { DoctorCheck } from 'protocol'
import { isZone, ownZone } from '../lib/zone.ts'
import { ok, warn } from './check.ts'

const area = 'Time zone'
const advice = 'Set TZ in .env or the environment, for example TZ=Europe/Berlin, and start again.'

const isInContainer = () => existsSync('/.dockerenv') || existsSync('/run/.containerenv')

/** Checks in which zone JARVIS counts hours, and where the zone comes from. @param of `tz`: the variable TZ; `zone`, `isContainer`: of this process, if absent */
export function zoneChecks(of: { tz: string | undefined; zone?: string; isContainer?: boolean }): DoctorCheck[] {
  const { tz = '', zone = ownZone(), isContainer = isInContainer() } = of
  const counts = `Hours of jobs, quiet times and the policy that name no zone count in ${zone}`
  if (tz !== '' && !isZone(tz.replace(/^:/, '')))
    return [warn(area, `TZ=${tz} is no name of a time zone. ${counts}.`, advice)]
  if (tz !== '') return [ok(area, `${counts}, set by TZ.`)]
  // A container does not take over the zone of its host.
  if (isContainer && /^(?:Etc\/)?UTC$/.test(zone))
    return [warn(area, `${counts}, the zone of this container.`, `If your clock is another: ${advice}`)]
  return [ok(area, `${counts}, the zone of this machine.`)]
}
