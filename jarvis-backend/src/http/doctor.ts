import { DoctorReply } from 'protocol'
import { z } from 'zod'
import { type Route, route } from './route.ts'

const DoctorQuery = z.strictObject({ model: z.enum(['0', '1']).default('1') })

/** `/api/doctor`: runs the doctor's checks. Requests that arrive during a run share its result. */
export function doctorRoutes(examine: (asksModel: boolean) => Promise<DoctorReply>): Route[] {
  let running: Promise<DoctorReply> | undefined
  return [
    route('/doctor').get(
      'Runs the doctor’s checks. `model=0` leaves the model’s server out.',
      { role: 'operator', query: DoctorQuery, reply: DoctorReply },
      ({ query }) => {
        running ??= examine(query.model === '1').finally(() => {
          running = undefined
        })
        return running
      },
    ),
  ]
}
