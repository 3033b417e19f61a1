import { HeartbeatReply } from '../protocol/index.ts'
import { get, post, type Route } from './route.ts'

/** `/api/heartbeat`: the heartbeat as earlier clients know it; it is also one of the jobs. */
export function heartbeatRoutes(heartbeat: {
  reply(): HeartbeatReply
  switchTo(isOn: boolean, by: string): void
  run(by: string): void
}): Route[] {
  const facts = { role: 'operator', reply: HeartbeatReply } as const
  return [
    get(
      '/heartbeat',
      'The heartbeat. Times are Unix ms, `interval` is minutes, `cost_today_usd` is null where a price is not known.',
      { role: 'viewer', token: 'read', reply: HeartbeatReply },
      heartbeat.reply,
    ),
    post('/heartbeat/start', 'Switches the heartbeat on.', facts, ({ by }) => {
      heartbeat.switchTo(true, by)
      return heartbeat.reply()
    }),
    post('/heartbeat/stop', 'Switches the heartbeat off.', facts, ({ by }) => {
      heartbeat.switchTo(false, by)
      return heartbeat.reply()
    }),
    post('/heartbeat/run', 'Runs the heartbeat now.', { ...facts, status: 202 }, ({ by }) => {
      heartbeat.run(by)
      return heartbeat.reply()
    }),
  ]
}
