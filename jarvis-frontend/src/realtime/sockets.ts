import type { ActivityEvents, ChatEvents, ChatReplies, ChatRequests, ClusterEvents } from 'protocol'
import { Manager, type Socket } from 'socket.io-client'

export type Refusal = { ok: false; error: { code: string; message: string } }
export type Reply<Name extends keyof ChatReplies> = ({ ok: true } & ChatReplies[Name]) | Refusal

type Listeners<Events> = { [Name in keyof Events]: (payload: Events[Name]) => void }
type Requests = {
  [Name in keyof ChatRequests]: (payload: ChatRequests[Name], ack: (reply: Reply<Name>) => void) => void
}
export type ChatSocket = Socket<Listeners<ChatEvents>, Requests>
export type ClusterSocket = Socket<Listeners<ClusterEvents>, Record<never, never>>
export type EventsSocket = Socket<Listeners<ActivityEvents>, Record<never, never>>

export type Sockets = { manager: Manager; chat: ChatSocket; cluster: ClusterSocket; events: EventsSocket }

export const retryDelayMs = { first: 200, most: 5_000 }

/** Creates one connection with three namespaces, without connecting yet. Each handshake sends the token that is valid then. */
export function createSockets(token: () => string | undefined): Sockets {
  const manager = new Manager(location.origin, {
    autoConnect: false,
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    reconnectionDelay: retryDelayMs.first,
    reconnectionDelayMax: retryDelayMs.most,
    randomizationFactor: 0,
  })
  const auth = (give: (auth: object) => void) => give({ token: token() ?? '' })
  return {
    manager,
    chat: manager.socket('/chat', { auth }) as ChatSocket,
    cluster: manager.socket('/cluster', { auth }) as ClusterSocket,
    events: manager.socket('/events', { auth }) as EventsSocket,
  }
}
