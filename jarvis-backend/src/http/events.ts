import { type Request, type Response, Router } from 'express'
import type { Activity, ActivityEvents } from '../protocol/index.ts'
import type { EventStreams } from './event-streams.ts'
import { identityOf } from './handle.ts'

type Feed = {
  newest(): readonly Activity[]
  listen(listener: <E extends keyof ActivityEvents>(event: E, payload: ActivityEvents[E]) => void): () => void
}

/**
 * `GET /api/events`: the newest lines of the activity feed, or those after `Last-Event-ID`, then every line and change as `/events` tells it.
 * @param begun when this process began, Unix ms: lines are counted anew at each start
 */
export function activityEventRoutes(feed: Feed, streams: EventStreams, begun: number): Router {
  const router = Router()
  const idOf = ({ id }: Activity) => `${begun}.${id}`
  router.get('/', (request: Request, response: Response) => {
    const [since, last] = (request.get('last-event-id') ?? '').split('.')
    const has = Number(since) === begun ? Number(last) : 0
    const stream = streams.open(response, identityOf(response), 'events', () => unlisten())
    for (const activity of feed.newest()) if (activity.id > has) stream.send('event', activity, idOf(activity))
    const unlisten = feed.listen((event, payload) =>
      stream.send(event, payload, event === 'event' ? idOf(payload as Activity) : undefined),
    )
  })
  return router
}
