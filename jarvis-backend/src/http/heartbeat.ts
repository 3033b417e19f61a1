import { HeartbeatReply, type PersonRef } from 'protocol'
import type { Shown } from '../auth/closed-words.ts'
import { type Heartbeat, heartbeatId } from '../jobs/heartbeat.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type Route, route } from './route.ts'

/** `/api/heartbeat`: the heartbeat in the form for older clients. The heartbeat is also one of the jobs. */
export function heartbeatRoutes({
  jobs,
  heartbeat,
  shown,
}: {
  jobs: Pick<Jobs, 'find' | 'get' | 'change' | 'run'>
  heartbeat: Pick<Heartbeat, 'reply'>
  shown(person: PersonRef): Pick<Shown, 'slot'>
}): Route[] {
  const reply = (person: PersonRef) =>
    heartbeat.reply(jobs.find(heartbeatId) && jobs.get(heartbeatId), (slot) => shown(person).slot(slot))
  const facts = { role: 'operator', reply: HeartbeatReply } as const
  return [
    route('/heartbeat').get(
      'The heartbeat. Times are Unix ms, `interval` is minutes, `cost_today_usd` is null where a price is not known.',
      { role: 'viewer', token: 'read', reply: HeartbeatReply },
      ({ identity }) => reply(identity.person),
    ),
    route('/heartbeat/start').post('Switches the heartbeat on.', facts, ({ by, identity }) => {
      jobs.change(heartbeatId, { isPaused: false }, by)
      return reply(identity.person)
    }),
    route('/heartbeat/stop').post('Switches the heartbeat off.', facts, ({ by, identity }) => {
      jobs.change(heartbeatId, { isPaused: true }, by)
      return reply(identity.person)
    }),
    route('/heartbeat/run').post('Runs the heartbeat now.', { ...facts, status: 202 }, ({ by, identity }) => {
      jobs.run(heartbeatId, by)
      return reply(identity.person)
    }),
  ]
}
