import { setMaxListeners } from 'node:events'
import { House, type HouseOptions, type Life, type Room } from 'house'
import type { Card, Question } from 'protocol'
import type { ChannelKind } from './channels/channel.ts'
import type { Notice } from './channels/channels.ts'
import type { Route } from './http/route.ts'
import type { SocketRequest } from './realtime/request.ts'
import type { Tool } from './tools/tool.ts'
import type { Check } from './watch/check.ts'
import type { AlertMessage } from './watch/message.ts'

/** The part of a room in the removal of a person’s rights. Both methods run in the transaction that removes the rights. */
export type Offboarding = {
  name: string
  /** Ends the channels and devices through which the person is notified and decides outside the dashboard. */
  endAccess?(person: string, why: string): void
  /** Ends or hands over what belongs to the person, who is removed by `by`. */
  leave?(person: string, by: string): void
}

/** The kinds of items that rooms contribute. */
export type Kinds = {
  tools: Tool
  routes: Route
  requests: SocketRequest
  checks: Check
  channels: ChannelKind
  offboarding: Offboarding
}

/** A change that JARVIS takes back by itself at `goesBackAt`, Unix ms. */
export type GoingBack = { id: string; goesBackAt: number }

/** The facts that rooms announce to each other, each after the commit of its transaction. */
export type FactTypes = {
  /** The machine's clock was set back. Things that had expired before were expired again, so that they do not become valid a second time. */
  'clock.set_back': undefined
  /** The connected cluster is not the one of the last start, so the same names mean other things. */
  'cluster.left': undefined
  /** A file of the data dir was written, by a person or by another process. */
  'files.changed': undefined
  /** A person saved the text of a runbook. */
  'runbook.saved': { runbook: string; by: string }
  /** The models or their settings changed. */
  'models.changed': undefined
  /** The waiting cards of a session changed. */
  'cards.changed': readonly Card[]
  /** The open questions of a session changed. */
  'questions.changed': readonly Question[]
  /** The list of changes, or the state of one, changed. */
  'changes.changed': undefined
  /** A run began that acts for a program, or for a person other than the first owner. */
  'run.for_another': undefined
  /** A person's rights changed. */
  'person.changed': string
  /** Changes that JARVIS will soon take back by itself. */
  'changes.going_back': readonly GoingBack[]
  /** A notice must be sent to people; only to `person`, if one is given. */
  'notice.due': { notice: Notice; person?: string }
  /** A message about alerts must be sent. `id` is unique for each message. */
  'alert.due': { id: string; message: AlertMessage }
  /** The message of an `alert.due` was sent, or waits. `words`: whom it reached, or why it reached nobody. */
  'alert.told': { id: string; words: string }
}

export type JarvisHouse = House<Kinds, FactTypes>
export type JarvisFacts = JarvisHouse['facts']

/** Declares a room of JARVIS. */
export const defineRoom = <Needs, Opened extends Life<Kinds>>(room: Room<Needs, Opened>): Room<Needs, Opened> => room

const stopMs = 20_000

/** An empty house with the kinds and facts of JARVIS. */
export function createHouse(report: HouseOptions<Kinds>['report']): JarvisHouse {
  const house = new House<Kinds, FactTypes>({
    kinds: {
      tools: ({ name }) => name,
      routes: ({ method, path }) => `${method} ${path}`,
      requests: ({ namespace, event }) => `${namespace} ${event}`,
      checks: ({ id }) => id,
      channels: ({ id }) => id,
      offboarding: ({ name }) => name,
    },
    report,
    stopMs,
  })
  // Every MCP call adds a listener, so Node's warning about many listeners is turned off.
  setMaxListeners(0, house.stopping)
  return house
}
