import type { Activity, ActivityEvents } from 'protocol'
import { Value } from '../../lib/value.ts'
import type { EventsSocket } from '../../realtime/sockets.ts'

const kept = 100

/** The newest activity, oldest first. `onChanged` is called with the name of a list that changed. */
export class Feed {
  readonly items = new Value<readonly Activity[]>([])

  constructor(socket: EventsSocket, onChanged: (change: ActivityEvents['changed']) => void) {
    socket.on('event', (activity) => {
      const others = this.items.get().filter((known) => known.id !== activity.id)
      this.items.set([...others, activity].sort((a, b) => a.at - b.at || a.id - b.id).slice(-kept))
    })
    socket.on('changed', onChanged)
  }

  forget(): void {
    this.items.set([])
  }
}
