import type { RoomRecord } from 'house'
import type { DoctorCheck } from 'protocol'
import { bad } from './check.ts'

/** A bad check for each room that failed to start. */
export const roomChecks = (rooms: readonly Pick<RoomRecord, 'name' | 'state' | 'problem'>[]): DoctorCheck[] =>
  rooms
    .filter(({ state }) => state === 'failed')
    .map(({ name, problem }) =>
      bad(
        'Start',
        `The part ${name} did not start: ${problem ?? 'no cause is known'}`,
        'The log says more. Mend the cause, then restart JARVIS.',
      ),
    )
