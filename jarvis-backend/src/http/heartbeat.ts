import { HeartbeatReply, type PersonRef } from 'protocol'
import { get, post, type Route } from './route.ts'

/** `/api/heartbeat`: the heartbeat as earlier clients know it; it is also one of the jobs. */
export function heartbeatRoutes(heartbeat: {
  /** As that person is shown it. */
  reply(person: PersonRef): HeartbeatReply
  switchTo(isOn: boolean, by: string): void
  run(by: string): void
}): Route[] {
  const facts = { role: 'operator', reply: HeartbeatReply } as const
  return [
    get(
      '/heartbeat',
      'The heartbeat. Times are Unix ms, `interval` is minutes, `cost_today_usd` is null where a price is not known.',
      { role: 'viewer', token: 'read', reply: HeartbeatReply },
      ({ identity }) => heartbeat.reply(identity.person),
    ),
    post('/heartbeat/start', 'Switches the heartbeat on.', facts, ({ by, identity }) => {
      heartbeat.switchTo(true, by)
      return heartbeat.reply(identity.person)
    }),
    post('/heartbeat/stop', 'Switches the heartbeat off.', facts, ({ by, identity }) => {
      heartbeat.switchTo(false, by)
      return heartbeat.reply(identity.person)
    }),
    post('/heartbeat/run', 'Runs the heartbeat now.', { ...facts, status: 202 }, ({ by, identity }) => {
      heartbeat.run(by)
      return heartbeat.reply(identity.person)
    }),
  ]
}
