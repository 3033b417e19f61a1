import type { Activity, ActivityEvents, PersonRef } from 'protocol'
import type { Shown } from '../auth/closed-words.ts'
import type { EventStreams } from './event-streams.ts'
import { stillCountsOf } from './handle.ts'
import { type Route, route } from './route.ts'

type Feed = {
  newest(): readonly Activity[]
  lineFor(activity: Activity, reads: (sessionId: string) => boolean): Activity
  listen(listener: <E extends 'event' | 'changed'>(event: E, payload: ActivityEvents[E]) => void): () => void
}

/**
 * `GET /api/events`: the newest activity lines, or those after `Last-Event-ID`, then each new line and each event that a list has changed, as on the
 * namespace `/events`.
 */
export function activityEventRoutes(parts: {
  feed: Feed
  streams: EventStreams
  /** Start time of this process, Unix ms. It is part of each event's id, because the numbers of lines begin again at each start. */
  begun: number
  shown(person: PersonRef): Pick<Shown, 'reads'>
}): Route[] {
  const { feed, streams, begun, shown } = parts
  const idOf = ({ id }: Activity) => `${begun}.${id}`
  return [
    route('/events').get(
      'The activity feed, as [server-sent events](#server-sent-events).',
      { role: 'viewer', token: 'read', media: ['text/event-stream'] },
      ({ request, response, identity }) => {
        const [since, last] = (request.get('last-event-id') ?? '').split('.')
        const has = Number(since) === begun ? Number(last) : 0
        const ended = () => unlisten()
        const stream = streams.open({ response, identity, stillCounts: stillCountsOf(response), key: 'events', ended })
        const { reads } = shown(identity.person)
        const tellLine = (activity: Activity) => stream.send('event', feed.lineFor(activity, reads), idOf(activity))
        for (const activity of feed.newest()) if (activity.id > has) tellLine(activity)
        const unlisten = feed.listen((event, payload) => {
          if (event === 'event') tellLine(payload as Activity)
          else stream.send(event, payload)
        })
      },
    ),
  ]
}
