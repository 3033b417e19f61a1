import type { Card } from 'jarvis-backend/protocol'
import { visibleText } from '../../ui/visible.ts'

/** A piece of a card's sentence: our words, an id, or a value others wrote. */
export type Piece = string | { id: string } | { value: string }

/** What a card asks, in every tense it needs. */
export type Act = {
  ask: Piece[]
  doing: Piece[]
  did: Piece[]
  didNot: Piece[]
  failed: Piece[]
  interrupted: Piece[]
  /** On the button, after `Approve: `. */
  approve: string
  /** On the target, while it waits: `running → restart`. */
  ghost: string
  /** `force: true`: what must be typed before it can be approved. */
  typed?: string
}

type Verb = { ask: string; doing: string; did: string; plain: string; after?: string }

const verbs: Record<string, Verb> = {
  start: { ask: 'Start', doing: 'Starting', did: 'Started', plain: 'start' },
  stop: { ask: 'Stop', doing: 'Stopping', did: 'Stopped', plain: 'stop' },
  restart: { ask: 'Restart', doing: 'Restarting', did: 'Restarted', plain: 'restart' },
  cut: { ask: 'Cut the power of', doing: 'Cutting the power of', did: 'Cut the power of', plain: 'cut the power of' },
  reset: {
    ask: 'Cut the power of',
    doing: 'Cutting the power of',
    did: 'Cut the power of',
    plain: 'cut the power of',
    after: ' and start it again',
  },
}

const named = (name: string): Piece => (/^[\w.-]+$/.test(name) ? name : { value: name })

/** Composed from tool, arguments and resolved target; no model and no client writes any of it. */
export function actOf({ toolName, toolInput, target }: Pick<Card, 'toolName' | 'toolInput' | 'target'>): Act {
  const power = /^(start|stop|restart)_(vm|container)$/.exec(toolName)
  const vmid = target.vmid ?? (typeof toolInput.vmid === 'number' ? toolInput.vmid : undefined)
  if (power !== null && vmid !== undefined)
    return powerAct(power[1] ?? '', vmid, toolInput.force === true, target, power[2] === 'vm')
  const text = (key: string) => (typeof toolInput[key] === 'string' ? toolInput[key] : undefined)
  const node = target.node ?? text('node')
  const place: Piece[] = node === undefined ? [] : [' on ', named(node)]
  switch (toolName) {
    case 'restart_service': {
      const service = text('service') ?? target.id
      const thing: Piece[] = ['service ', { value: service }, ...place]
      return plainAct(verbs.restart, thing, `restart ${visibleText(service)}`, 'restart')
    }
    case 'wake_node':
      return plainAct(
        { ask: 'Wake', doing: 'Waking', did: 'Woke', plain: 'wake' },
        ['node ', named(node ?? target.id)],
        `wake ${visibleText(node ?? target.id)}`,
        'wake',
      )
    case 'execute_ssh':
      return plainAct(
        { ask: 'Run', doing: 'Running', did: 'Ran', plain: 'run' },
        ['a command', ...place],
        node === undefined ? 'run it' : `run on ${visibleText(node)}`,
        'command',
      )
    default:
      return plainAct(
        { ask: 'Run', doing: 'Running', did: 'Ran', plain: 'run' },
        [{ value: toolName }, ...place],
        `run ${visibleText(toolName)}`,
        'change',
      )
  }
}

function powerAct(action: string, vmid: number, force: boolean, target: Card['target'], isVm: boolean): Act {
  const verb = verbs[force ? (action === 'restart' ? 'reset' : 'cut') : action] ?? verbs.restart
  const type = (target.type ?? (isVm ? 'vm' : 'ct')) === 'vm' ? 'VM ' : 'CT '
  const thing: Piece[] = [type, { id: String(vmid) }]
  if (target.name !== undefined) thing.push(' ', { value: target.name })
  const place: Piece[] = target.node === undefined ? [] : [' on ', named(target.node)]
  const label = force ? (action === 'restart' ? 'cut power of and start' : 'cut power of') : action
  const act = plainAct(verb, [...thing, ...place], `${label} ${vmid}`, force ? 'power cut' : action)
  return {
    ...act,
    didNot: [`Did not ${verb?.plain ?? action} `, ...thing],
    failed: [...thing, ` did not ${action}`],
    interrupted: [force ? 'Power cut of ' : `${verb?.ask ?? action} of `, ...thing, ' was interrupted'],
    ...(force && { typed: String(vmid) }),
  }
}

function plainAct(verb: Verb | undefined, thing: Piece[], approve: string, ghost: string): Act {
  const { ask, doing, did, plain, after = '' } = verb ?? { ask: 'Run', doing: 'Running', did: 'Ran', plain: 'run' }
  return {
    ask: [`${ask} `, ...thing, `${after}?`],
    doing: [`${doing} `, ...thing, after],
    did: [`${did} `, ...thing, after],
    didNot: [`Did not ${plain} `, ...thing],
    failed: [`Did not ${plain} `, ...thing],
    interrupted: [`${ask} `, ...thing, ': interrupted'],
    approve,
    ghost,
  }
}

export const sentenceText = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => (typeof piece === 'string' ? piece : 'id' in piece ? piece.id : visibleText(piece.value)))
    .join('')

const firstKeys = ['vmid', 'node', 'service', 'command', 'force']

/** The complete arguments as JSON with a fixed order of keys: ids first, the rest by name. */
export function exactInput(input: Record<string, unknown>): string {
  const rank = (key: string) => (firstKeys.includes(key) ? firstKeys.indexOf(key) : firstKeys.length)
  const keys = Object.keys(input).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${JSON.stringify(input[key])}`).join(', ')}}`
}

/** The same call as a line for the composer. */
export function commandLine(toolName: string, input: Record<string, unknown>): string {
  const value = (raw: unknown) =>
    typeof raw === 'string' && !/^[\w./:-]+$/.test(raw)
      ? JSON.stringify(raw)
      : typeof raw === 'string'
        ? raw
        : JSON.stringify(raw)
  return [`/${toolName}`, ...Object.entries(input).map(([key, raw]) => `${key}=${value(raw)}`)].join(' ')
}
