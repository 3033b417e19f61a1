import type { Activity, ActivityEvents } from '../protocol/index.ts'
import type { EventStreams } from './event-streams.ts'
import { stillCountsOf } from './handle.ts'
import { get, type Route } from './route.ts'

type Feed = {
  newest(): readonly Activity[]
  listen(listener: <E extends keyof ActivityEvents>(event: E, payload: ActivityEvents[E]) => void): () => void
}

/**
 * `GET /api/events`: the newest lines of the activity feed, or those after `Last-Event-ID`, then every line and change as `/events` tells it.
 * @param begun when this process began, Unix ms: lines are counted anew at each start
 */
export function activityEventRoutes(feed: Feed, streams: EventStreams, begun: number): Route[] {
  const idOf = ({ id }: Activity) => `${begun}.${id}`
  return [
    get(
      '/events',
      'The activity feed, as [server-sent events](#server-sent-events).',
      { role: 'viewer', token: 'read', media: ['text/event-stream'] },
      ({ request, response, identity }) => {
        const [since, last] = (request.get('last-event-id') ?? '').split('.')
        const has = Number(since) === begun ? Number(last) : 0
        const ended = () => unlisten()
        const stream = streams.open({ response, identity, stillCounts: stillCountsOf(response), key: 'events', ended })
        for (const activity of feed.newest()) if (activity.id > has) stream.send('event', activity, idOf(activity))
        const unlisten = feed.listen((event, payload) =>
          stream.send(event, payload, event === 'event' ? idOf(payload as Activity) : undefined),
        )
      },
    ),
  ]
}
