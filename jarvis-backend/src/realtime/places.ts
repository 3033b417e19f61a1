import type { Cluster, Consoles, ScreenSession, TerminalSession, TerminalSize, Terminals } from 'homelab-ports/ports'
import { asFarAsSeen, JarvisError, type TerminalRequests } from 'protocol'
import type { TerminalEnd, Typed } from './open-terminal.ts'

/** The sources of terminals that an operator may open: shells on nodes, and consoles of guests. */
export type Openable = {
  terminals: Terminals | undefined
  consoles: Consoles | undefined
  cluster: Pick<Cluster, 'state' | 'catchUp'>
}

/** A place where a terminal can be opened. `name`: such as `a shell on pve`. `where`: the journal's fields for the place. */
export type Place = {
  name: string
  where: { node: string; vmid?: number; guest?: string; console?: 'screen' | 'terminal' }
  isScreen: boolean
  open(on: {
    signal: AbortSignal
    onOutput(data: Typed): void
    onEnd(how: TerminalEnd): void
  }): Promise<TerminalSession | ScreenSession>
}

/**
 * Returns the place for a request. @throws JarvisError `not_found` (no such guest, or no consoles), `conflict` (the guest is stopped or is a
 * template)
 */
export async function placeOf(asked: TerminalRequests['terminal:open'], openable: Openable): Promise<Place> {
  const size: TerminalSize = { cols: asked.cols, rows: asked.rows }
  if ('node' in asked) {
    const { terminals } = openable
    if (terminals === undefined) throw new JarvisError('not_found', 'This cluster offers no shells on its nodes.')
    const { node } = asked
    return {
      name: `a shell on ${node}`,
      where: { node },
      isScreen: false,
      open: ({ onEnd, ...on }) =>
        terminals.open(node, { size, ...on, onEnd: (code) => onEnd(code === undefined ? {} : { code }) }),
    }
  }
  const { consoles, cluster } = openable
  if (consoles === undefined) throw new JarvisError('not_found', 'This cluster offers no consoles of its guests.')
  await cluster.catchUp?.(asked.vmid)
  const state = cluster.state()
  const guest = state.guests.find(({ vmid }) => vmid === asked.vmid)
  if (guest === undefined)
    throw new JarvisError('not_found', `There is no guest ${asked.vmid}${asFarAsSeen('guests', state)}.`)
  const { vmid, name, node, type, status } = guest
  if (status === 'stopped') {
    throw new JarvisError('conflict', `${name} (${vmid}) is stopped: it has no console until it is started.`)
  }
  const isScreen = type === 'vm'
  return {
    name: `the ${isScreen ? 'screen' : 'terminal'} of ${name} (${vmid})`,
    where: { node, vmid, guest: name, console: isScreen ? 'screen' : 'terminal' },
    isScreen,
    open({ onEnd, ...on }) {
      const ended = (reason?: string) => onEnd(reason === undefined ? {} : { reason })
      return isScreen
        ? consoles.screen(guest, { ...on, onEnd: ended })
        : consoles.terminal(guest, { size, ...on, onEnd: ended })
    },
  }
}

const updateRequest = { type: 3, bytes: 10 }

/** True if bytes for a screen hold input of a person. A viewer sends requests for the next picture by itself. */
export function isFromPerson(data: Typed): boolean {
  if (typeof data === 'string' || data.length === 0 || data.length % updateRequest.bytes !== 0) return true
  for (let at = 0; at < data.length; at += updateRequest.bytes) if (data[at] !== updateRequest.type) return true
  return false
}
